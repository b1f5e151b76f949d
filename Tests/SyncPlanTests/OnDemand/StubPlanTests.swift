import IMAPWire
import Testing

@testable import SyncPlan

/// Which parts of a message stay on the server.
struct StubPlanTests {
  private typealias Part = BodyStructure.Part

  private func part(
    _ section: String, _ type: String, _ octets: Int64? = nil, depth: Int = 1,
    disposition: String? = nil
  ) -> BodyStructure.Part {
    let words = type.split(separator: "/").map(String.init)
    return Part(
      section: section, depth: depth, media: words[0], subtype: words[1], octets: octets,
      disposition: disposition)
  }

  private func made(_ parts: [BodyStructure.Part], size: Int64, root: String = "multipart/mixed")
    -> StubPlan?
  {
    StubPlan(
      BodyStructure(parts: [part("", root, depth: 0)] + parts), size: size, limit: 1000)
  }

  @Test func `large parts stay away, and the rest is asked for in order`() throws {
    let plan = try #require(
      made(
        [
          part("1", "multipart/alternative"), part("1.1", "text/plain", 100, depth: 2),
          part("1.2", "text/html", 900, depth: 2), part("2", "application/pdf", 50_000),
          part("3", "image/png", 400),
        ], size: 52_000))
    #expect(plan.absent == ["2"])
    #expect(
      plan.sections == [
        BodySection(kind: .header), BodySection(kind: .mime, part: "1"),
        BodySection(kind: .mime, part: "1.1"), BodySection(kind: .part, part: "1.1"),
        BodySection(kind: .mime, part: "1.2"), BodySection(kind: .part, part: "1.2"),
        BodySection(kind: .mime, part: "2"), BodySection(kind: .mime, part: "3"),
        BodySection(kind: .part, part: "3"),
      ])
  }

  @Test func `text that is read comes whatever its size, text that is attached does not`() {
    let plan = made(
      [
        part("1", "text/plain", 5000), part("2", "text/html", 6000),
        part("3", "text/calendar", 2000, disposition: "inline"),
        part("4", "text/plain", 7000, disposition: "attachment"), part("5", "text/csv", 8000),
      ], size: 28_500)
    #expect(plan?.absent == ["4", "5"])
  }

  @Test func `a large message inside is one part, a small one comes with all that is in it`() {
    let letter = [
      part("2", "message/rfc822", 9000), part("2.TEXT", "multipart/mixed", depth: 2),
      part("2.1", "text/plain", 10, depth: 3), part("2.2", "image/png", 8800, depth: 3),
    ]
    #expect(made([part("1", "text/plain", 100)] + letter, size: 9500)?.absent == ["2"])
    let small = [part("2", "message/rfc822", 900), part("2.1", "text/plain", 700, depth: 2)]
    let both = made(small + [part("3", "image/png", 9000)], size: 10_500)
    #expect(both?.absent == ["3"])
    #expect(both?.sections.contains(BodySection(kind: .part, part: "2")) == true)
    #expect(both?.sections.contains { $0.part == "2.1" } == false)
  }

  @Test(arguments: [
    "multipart/signed", "multipart/encrypted", "application/pkcs7-mime",
    "application/x-pkcs7-mime", "application/pgp-encrypted", "application/pgp-signature",
    "application/pkcs7-signature",
  ]) func `with a signed or encrypted part anywhere the message comes whole`(type: String) {
    let big = part("2", "image/png", 9000)
    let inner = part("1", type, type.hasPrefix("multipart") ? nil : 200)
    #expect(made([inner, big], size: 9500) == nil)
    let letter = [part("1", "message/rfc822", 900), part("1.1", type, 100, depth: 2)]
    #expect(made(letter + [big], size: 10_500) == nil)
  }

  @Test func `a single part, and a message without large ones, come whole`() {
    #expect(
      StubPlan(
        BodyStructure(parts: [part("1", "application/pdf", 9000, depth: 0)]), size: 9500,
        limit: 1000) == nil)
    #expect(made([part("1", "text/plain", 900), part("2", "image/png", 1000)], size: 2500) == nil)
    #expect(made([], size: 9500) == nil)
  }

  @Test func `sizes that do not add up are not believed`() {
    #expect(made([part("1", "text/plain", 10), part("2", "image/png", 9000)], size: 9000) == nil)
    #expect(made([part("1", "text/plain", 10), part("2", "image/png", 9000)], size: 20_000) == nil)
    #expect(made([part("1", "text/plain", nil), part("2", "image/png", 9000)], size: 9500) == nil)
    #expect(made([part("1", "text/plain", -1), part("2", "image/png", 9000)], size: 9500) == nil)
  }

  @Test func `what a multipart/related shows comes, what belongs to it may stay away`() {
    let parts = [
      part("1", "application/xhtml+xml", 5000), part("2", "image/png", 6000),
    ]
    #expect(made(parts, size: 11_500, root: "multipart/related")?.absent == ["2"])
  }

  @Test func `winmail.dat comes up to ten times the limit`() {
    let text = part("1", "text/plain", 10)
    let big = part("3", "image/png", 50_000)
    #expect(
      made([text, part("2", "application/ms-tnef", 9000), big], size: 60_000)?.absent == ["3"])
    #expect(
      made([text, part("2", "application/ms-tnef", 11_000), big], size: 62_000)?.absent == [
        "2", "3",
      ])
  }
}
