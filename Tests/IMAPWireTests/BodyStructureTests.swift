import IMAPWire
import MailCore
import Testing

struct BodyStructureTests {
  private func structure(_ text: String) throws -> BodyStructure? {
    var found: BodyStructure?
    var parser = ResponseParser()
    Array("* 1 FETCH (UID 7 BODYSTRUCTURE \(text) FLAGS ())\r\n".utf8).withUnsafeBytes {
      parser.feed($0)
    }
    while let event = try parser.next() {
      guard case .fetched(let data) = event else { continue }
      #expect(data.uid == UID(7) && data.marks != nil, "what stands beside it is read")
      found = data.structure
    }
    return found
  }

  private func sections(_ text: String) throws -> [String]? {
    try structure(text)?.parts.map { "\($0.section):\($0.media)/\($0.subtype)" }
  }

  @Test func `parts are numbered as BODY names them`() throws {
    let text = """
      ((("TEXT" "PLAIN" ("CHARSET" "UTF-8") NIL NIL "8BIT" 12 1 NIL NIL NIL)\
      ("TEXT" "HTML" NIL NIL NIL "7BIT" 30 2) "ALTERNATIVE" ("BOUNDARY" "a") NIL NIL)\
      ("APPLICATION" "PDF" ("NAME" "a (1).pdf") "<id>" NIL "BASE64" 274090 NIL \
      ("ATTACHMENT" ("FILENAME" "a.pdf")) NIL) "MIXED" ("BOUNDARY" "b") NIL)
      """
    #expect(
      try sections(text) == [
        ":multipart/mixed", "1:multipart/alternative", "1.1:text/plain", "1.2:text/html",
        "2:application/pdf",
      ])
    let pdf = try #require(try structure(text)?.parts.last)
    #expect(pdf.octets == 274_090 && pdf.disposition == "attachment" && pdf.depth == 1)
  }

  @Test func `a message inside has sections of its own`() throws {
    let text = """
      (("TEXT" "PLAIN" NIL NIL NIL "7BIT" 5 1)\
      ("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 900 ("date" "subject" NIL NIL NIL NIL NIL NIL NIL "<i>") \
      (("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 1)("IMAGE" "PNG" NIL NIL NIL "BASE64" 80) "MIXED") 20 NIL \
      ("attachment" NIL))\
      ("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 90 (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL) \
      ("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 1) 3) "MIXED")
      """
    #expect(
      try sections(text) == [
        ":multipart/mixed", "1:text/plain", "2:message/rfc822", "2.TEXT:multipart/mixed",
        "2.1:text/plain", "2.2:image/png", "3:message/rfc822", "3.1:text/plain",
      ])
    #expect(try structure(text)?.parts[2].disposition == "attachment")
  }

  @Test func `a single part is section 1`() throws {
    #expect(
      try sections("(\"APPLICATION\" \"PDF\" NIL NIL NIL \"BASE64\" 9)") == ["1:application/pdf"])
  }

  @Test func `literals and oddities are read`() throws {
    let text =
      "((\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" NIL 1)(\"IMAGE\" \"PNG\" (\"NAME\" {5}\r\na)\"(b) NIL NIL \"BASE64\" -1) \"MIXED\" (\"BOUNDARY\" \"x\"))"
    let found = try #require(try structure(text))
    #expect(found.parts.map(\.section) == ["", "1", "2"])
    #expect(found.parts[1].octets == nil && found.parts[2].octets == nil)
  }

  @Test(arguments: [
    "NIL", "()", "((\"TEXT\" \"PLAIN\" NIL) \"MIXED\")", "\"x\"",
    "((\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" 1 1))",
  ]) func `what follows no grammar is no structure`(text: String) throws {
    #expect(try structure(text) == nil)
  }

  @Test func `it is not followed for ever`() throws {
    let deep = String(repeating: "(", count: 40_000) + String(repeating: ")", count: 40_000)
    #expect(try structure(deep) == nil)
  }

  @Test func `parts and ranges are asked for by PEEK`() throws {
    let command = IMAPCommand.uidFetch(
      UIDSet([UID(3)]), .flags,
      sections: [
        BodySection(kind: .header), BodySection(kind: .mime, part: "1.2"),
        BodySection(kind: .part, part: "1.2"), .range(from: 1024, length: 64),
        BodySection(kind: .whole),
      ])
    var text = ""
    for step in try CommandEncoder(CapabilitySet([])).encode(command, tag: CommandTag(1)) {
      if case .send(let bytes) = step { text += String(decoding: bytes, as: UTF8.self) }
    }
    #expect(
      text == "A1 UID FETCH 3 (FLAGS BODY.PEEK[HEADER] BODY.PEEK[1.2.MIME] BODY.PEEK[1.2] "
        + "BODY.PEEK[]<1024.64> BODY.PEEK[])\r\n")
  }
}
