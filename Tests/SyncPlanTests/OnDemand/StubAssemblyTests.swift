import IMAPWire
import Testing

@testable import SyncPlan

/// Stubs are put together from what a server sends, whatever that is.
struct StubAssemblyTests {
  private let header =
    "Subject: s\r\nMessage-ID: <m@x>\r\nContent-Type: multipart/mixed; boundary=\"b b\"\r\n\r\n"
  private let mime = "Content-Type: application/pdf; name=a.pdf\r\n\r\n"

  private var structure: BodyStructure {
    BodyStructure(parts: [
      .init(section: "", depth: 0, media: "multipart", subtype: "mixed"),
      .init(section: "1", depth: 1, media: "text", subtype: "plain", octets: 4),
      .init(section: "2", depth: 1, media: "application", subtype: "pdf", octets: 5000),
    ])
  }

  private var pieces: [BodySection: String] {
    [
      BodySection(kind: .header): header, BodySection(kind: .mime, part: "1"): "\r\n",
      BodySection(kind: .part, part: "1"): "text", BodySection(kind: .mime, part: "2"): mime,
    ]
  }

  /// The whole message, without anything around its parts.
  private var size: Int64 {
    Int64(
      header.utf8.count + 2 * "--b b\r\n".utf8.count + "\r\n".utf8.count + 4 + 2 + mime.utf8.count
        + 5000 + 2 + "--b b--\r\n".utf8.count)
  }

  private func stub(
    _ change: (inout [BodySection: String]) -> Void = { _ in }, size: Int64? = nil,
    structure: BodyStructure? = nil
  ) throws -> String? {
    var pieces = pieces
    change(&pieces)
    let plan = try #require(StubPlan(self.structure, size: self.size, limit: 1000))
    return StubAssembly.assemble(
      structure ?? self.structure, plan, size: size ?? self.size,
      pieces: pieces.mapValues { Array($0.utf8) }
    ).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a stub has all that came, as the server would have sent it`() throws {
    let text = try #require(try stub())
    #expect(text.hasPrefix(header + "--b b\r\n\r\ntext\r\n--b b\r\nContent-Type: text/plain"))
    #expect(text.contains("X-Mirror-Was-Content-Type: application/pdf; name=a.pdf\r\n"))
    #expect(text.hasSuffix("Get it with: mirror fill id:m@x\r\n--b b--\r\n"))
  }

  @Test func `what stands around the parts makes no difference, up to a point`() throws {
    #expect(try stub(size: size + 500) != nil)
    #expect(try stub(size: size - 2) != nil)  // no final line end
    #expect(try stub(size: size - 3) == nil)
    #expect(try stub(size: size + 20_000) == nil)
  }

  @Test func `a piece that is missing, cut or too long means no stub`() throws {
    for section in pieces.keys {
      #expect(try stub { $0[section] = nil } == nil, "\(section)")
      #expect(try stub { $0[section] = String($0[section]!.dropLast()) } == nil, "\(section)")
    }
    #expect(try stub { $0[BodySection(kind: .part, part: "1")] = "texts" } == nil)
    #expect(try stub { $0[BodySection(kind: .mime, part: "2")]! += "body" } == nil)
  }

  @Test func `a header without the boundary, or with another's, means no stub`() throws {
    #expect(try stub { $0[BodySection(kind: .header)] = "Subject: s\r\n\r\n" } == nil)
    // The text holds a line that ends the multipart.
    #expect(
      try stub(
        { $0[BodySection(kind: .part, part: "1")] = "a\r\n--b b\r\n\r\nb" },
        structure: BodyStructure(
          parts: structure.parts.map { part in
            var part = part
            if part.section == "1" { part.octets = 13 }
            return part
          })) == nil)
  }
}

/// What the cache lets go.
struct CachePlanTests {
  private let week: Int64 = 7 * 86_400
  private let now: Int64 = 100 * 86_400

  private func entry(
    _ number: Int, _ bytes: Int64, used: Int64, date: Int64 = 0, held: Bool = false
  ) -> CachePlan.Entry {
    .init(number: number, bytes: bytes, used: used, date: date, isHeld: held)
  }

  @Test func `those used least recently go first, and no more than must`() {
    let entries = [entry(0, 40, used: 30), entry(1, 40, used: 10), entry(2, 40, used: 20)]
    #expect(CachePlan.leaving(entries, budget: 120, now: now) == [])
    #expect(CachePlan.leaving(entries, budget: 119, now: now) == [1])
    #expect(CachePlan.leaving(entries, budget: 50, now: now) == [1, 2])
    #expect(CachePlan.leaving(entries, budget: 0, now: now) == [1, 2, 0])
  }

  @Test func `what is held, was used within a week, or came within it, stays`() {
    let entries = [
      entry(0, 40, used: 1, held: true), entry(1, 40, used: now - week + 1),
      entry(2, 40, used: 1, date: now - week + 1), entry(3, 40, used: now - week, date: now - week),
    ]
    #expect(CachePlan.leaving(entries, budget: 0, now: now) == [3])
  }
}
