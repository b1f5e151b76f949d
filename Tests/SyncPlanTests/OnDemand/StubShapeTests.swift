import IMAPWire
import Testing

@testable import SyncPlan

/// Stubs that were found: is there anything in one that no pull wrote?
struct StubShapeTests {
  private let header =
    "Message-ID: <m@x>\r\nContent-Type: multipart/mixed; boundary=\"b b\"\r\n\r\n"
  private let mime = "Content-Type: application/pdf; name=\"a (1).pdf\"\r\n\r\n"
  private let inner = "Content-Type: multipart/alternative; boundary=i\r\n\r\n"

  private func structure(text: Int64 = 4, absent: Int64 = 5000) -> BodyStructure {
    BodyStructure(parts: [
      .init(section: "", depth: 0, media: "multipart", subtype: "mixed"),
      .init(section: "1", depth: 1, media: "multipart", subtype: "alternative"),
      .init(section: "1.1", depth: 2, media: "text", subtype: "plain", octets: text),
      .init(section: "1.2", depth: 2, media: "text", subtype: "html", octets: 11),
      .init(section: "2", depth: 1, media: "application", subtype: "pdf", octets: absent),
    ])
  }

  /// As a pull writes it.
  private func stub() throws -> String {
    let structure = structure()
    let size: Int64 = 5600
    let plan = try #require(StubPlan(structure, size: size, limit: 1000))
    let pieces: [BodySection: String] = [
      BodySection(kind: .header): header, BodySection(kind: .mime, part: "1"): inner,
      BodySection(kind: .mime, part: "1.1"): "\r\n", BodySection(kind: .part, part: "1.1"): "text",
      BodySection(kind: .mime, part: "1.2"): "Content-Type: text/html\r\n\r\n",
      BodySection(kind: .part, part: "1.2"): "<p>text</p>",
      BodySection(kind: .mime, part: "2"): mime,
    ]
    let bytes = try #require(
      StubAssembly.assemble(
        structure, plan, size: size, pieces: pieces.mapValues { Array($0.utf8) }))
    return String(decoding: bytes, as: UTF8.self)
  }

  private func isWritten(_ stub: String, of structure: BodyStructure? = nil) -> Bool {
    StubShape.isWritten(Array(stub.utf8), of: structure ?? self.structure())
  }

  @Test func `a stub is as a pull wrote it`() throws {
    #expect(isWritten(try stub()))
  }

  @Test func `whatever a person wrote into it shows`() throws {
    let stub = try stub()
    for (text, other) in [
      ("\r\n\r\ntext", "\r\n\r\ntext of mine"), ("</p>", "</p>\r\nmine"),
      ("Not here", "Mine. Not here"),
      ("id:m@x", "id:m@x\r\nmine"), ("id:m@x", "id:n@x"), ("--b b\r\n", "mine\r\n--b b\r\n"),
      ("--b b--\r\n", "--b b--\r\nmine\r\n"), ("--i\r\n", "mine\r\n--i\r\n"),
      ("--i--", "--i--\r\nmine"), ("size=5000", "size=5001"), ("--i--", "--i\r\n\r\nmine\r\n--i--"),
    ] {
      let edited = stub.replacing(text, with: other, maxReplacements: 1)
      #expect(edited != stub && !isWritten(edited), "\(edited)")
    }
  }

  @Test func `another message's structure is none of it`() throws {
    let stub = try stub()
    #expect(!isWritten(stub, of: structure(text: 5)))
    #expect(!isWritten(stub, of: structure(absent: 5001)))
    #expect(!isWritten(stub, of: BodyStructure(parts: Array(structure().parts.dropLast()))))
    #expect(!isWritten(stub, of: BodyStructure(parts: [])))
    #expect(!isWritten("", of: structure()))
  }
}
