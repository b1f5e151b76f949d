import Testing

@testable import SyncPlan

/// What came of a part is all of it, or none.
struct PartRequestTests {
  /// Octets of base64 in lines of so many letters.
  private func octets(_ count: Int, line: Int, ends: Int = 0) -> Int64 {
    let letters = (count + 2) / 3 * 4
    return Int64(letters + ((letters + line - 1) / line - 1 + ends) * 2)
  }

  @Test(arguments: [60, 64, 72, 76])
  func `decoded base64 fits its octets, with or without a last line end, and cut does not`(
    line: Int
  ) {
    for count in [1, 56, 57, 58, 5_000, 123_457] {
      for ends in 0...2 {
        let part = PartRequest(
          section: "2", octets: octets(count, line: line, ends: ends), isBase64: true)
        #expect(part.mayBe(count, isDecoded: true), "\(count) \(line) \(ends)")
      }
    }
    let part = PartRequest(section: "2", octets: octets(123_457, line: line), isBase64: true)
    for cut in [0, 1_000, 50_000, 100_000, 120_000, 123_000] {
      #expect(!part.mayBe(cut, isDecoded: true), "\(cut) \(line)")
    }
    #expect(!part.mayBe(130_000, isDecoded: true))
    // Few lines prove little.
    #expect(!PartRequest(section: "2", octets: 4_000, isBase64: true).mayBe(3_000, isDecoded: true))
  }

  @Test func `what is not decoded has the octets that were told`() {
    let part = PartRequest(section: "2", octets: 100, isBase64: true)
    #expect(part.mayBe(100, isDecoded: false))
    #expect(!part.mayBe(99, isDecoded: false) && !part.mayBe(101, isDecoded: false))
  }
}
