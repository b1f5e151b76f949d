import Foundation
import Testing
import Warnings

@testable import MirrorCLI

@Suite struct TrustedSendersTests {
  @Test(arguments: [
    ("news@shop.example", true), ("NEWS@Shop.Example", true), ("other@shop.example", false),
    ("a@friends.example", true), ("a@sub.friends.example", false), ("a@notfriends.example", false),
    ("friends.example", false), ("", false),
  ])
  func `an address or a whole domain is trusted, none below it`(sender: String, expected: Bool) {
    let trusted = TrustedSenders(["news@shop.example", "@friends.example"])
    #expect(trusted.contains(sender) == expected)
  }

  @Test(arguments: [
    ("News@Shop.Example", "news@shop.example"), ("@Shop.Example", "@shop.example"),
    ("shop.example", nil), ("a@b", nil), ("a@b@c.example", nil), ("a b@c.example", nil),
    ("@", nil), ("a@.example", nil), ("a@b..example", nil), ("a\n@b.example", nil),
  ])
  func `what is neither an address nor a domain is no entry`(text: String, entry: String?) {
    #expect(TrustedSenders.entry(text) == entry)
  }

  @Test func `the list outlives the program, in a file that only the user can read`() throws {
    let base = NSTemporaryDirectory() + "trust-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: base) }
    let file = TrustFile(path: base + "/mirror/trusted.txt")
    #expect(try file.read() == TrustedSenders())
    var list = TrustedSenders()
    list.add("b@x.example")
    list.add("@a.example")
    list.add("b@x.example")
    try file.write(list)
    #expect(try file.read().entries == ["@a.example", "b@x.example"])
    let facts = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let removed = [list.remove("b@x.example"), list.remove("b@x.example")]
    #expect(removed == [true, false])
    #expect(list.entries == ["@a.example"])
  }

  @Test func `only a confirmed sender is trusted`() {
    let images = ImageDownloads(isAsked: false, trusted: TrustedSenders(["@shop.example"]))
    let confirmed = ProviderVerdict.confirmed(domain: "shop.example", by: "mx.home.example")
    #expect(images.isWanted(from: "a@shop.example", confirmed))
    #expect(!images.isWanted(from: "a@shop.example", .unknown))
    #expect(!images.isWanted(from: "a@shop.example", .failed(domain: "shop.example", by: "mx")))
    #expect(!images.isWanted(from: "a@other.example", confirmed))
    #expect(!images.isWanted(from: nil, confirmed))
    #expect(ImageDownloads(isAsked: true, trusted: TrustedSenders()).isWanted(from: nil, .unknown))
  }
}
