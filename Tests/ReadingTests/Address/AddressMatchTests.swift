import Testing

@testable import Reading

@Suite struct AddressMatchTests {
  @Test(arguments: [
    ("ali", "Alice Example", "alice@example.org", 0), ("exam", "Alice Example", "a@b.org", 0),
    ("ALICE", "", "alice@b.org", 0), ("example.org", "A", "a@example.org", 1),
    ("lice", "Alice", "x@y", 1),
    ("jose", "José García", "j@x", 0), ("josé", "Jose", "j@x", 0),
    ("garcia jo", "José García", "j@x", 0),
    ("strasse", "Straße", "x@y", 0), ("", "Any", "x@y", 0), ("al@b", "", "al@b.org", 0),
    ("山田", "山田太郎", "t@x", 0), ("太郎", "山田太郎", "t@x", 1),
  ])
  func `words match without case and accents`(
    word: String, name: String, address: String, tier: Int
  ) {
    #expect(AddressMatch(word).tier(name: name, address: address) == tier)
  }

  @Test(arguments: [("bob", "Alice", "a@b.org"), ("alice bob", "Alice", "a@b.org")])
  func `every word has to match`(word: String, name: String, address: String) {
    #expect(AddressMatch(word).tier(name: name, address: address) == nil)
  }
}
