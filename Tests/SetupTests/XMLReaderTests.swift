import Testing

@testable import Setup

@Suite struct XMLReaderTests {
  private func events(_ text: String) throws -> [XMLReader.Event] {
    var reader = try XMLReader(Array(text.utf8))
    var events: [XMLReader.Event] = []
    while let event = try reader.next() { events.append(event) }
    return events
  }

  @Test func `elements, attributes and text come in order`() throws {
    let text = """
      <?xml version="1.0"?>
      <!-- a comment with <tags> & more -->
      <a x="1" y='two &amp; 3'><b/>text &lt;&#65;&#x42;<![CDATA[<raw>&]]></a >
      """
    #expect(
      try events(text) == [
        .start(name: "a", attributes: ["x": "1", "y": "two & 3"]),
        .start(name: "b", attributes: [:]), .end(name: "b"), .text("text <AB<raw>&"),
        .end(name: "a"),
      ])
  }

  @Test(arguments: [
    "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<!DOCTYPE html><a/>", "<a>&x;</a>",
    "<a><!ENTITY x 'y'></a>", "<a b=\"&nbsp;\"/>",
    "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
  ])
  func `a document type or an entity of its own is refused`(text: String) {
    #expect(throws: XMLMistake.documentType) { try events(text) }
  }

  @Test(arguments: [
    "", "  ", "text", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a/>text", "<a b/>", "<a b=c/>",
    "<a b='1' b='2'/>", "<a b='1'c='2'/>", "<a b='<'/>", "<a", "<a b='1", "<!-- no end", "<?xml",
    "<a><![CDATA[no end</a>", "<a>&amp</a>", "<a>&#0;</a>", "<a>&#x110000;</a>", "<a>&#xD800;</a>",
    "< a/>", "<a>&;</a>", "<>", "<![CDATA[x]]><a/>", "&amp;<a/>",
  ])
  func `what is no document is refused`(text: String) {
    #expect(throws: XMLMistake.self) { try events(text) }
  }

  @Test func `bytes that are no UTF-8 are refused`() {
    #expect(throws: XMLMistake.self) { try XMLReader([0x3C, 0xFF, 0x3E]) }
  }

  @Test func `depth, names, attributes and texts have limits`() {
    let deep = String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)
    #expect(throws: XMLMistake.tooMuch("depth")) { try events(deep) }
    let name = String(repeating: "n", count: 1000)
    #expect(throws: XMLMistake.tooMuch("name")) { try events("<\(name)/>") }
    let many = (0..<100).map { "a\($0)='1'" }.joined(separator: " ")
    #expect(throws: XMLMistake.tooMuch("attributes")) { try events("<a \(many)/>") }
    let long = String(repeating: "x", count: 200_000)
    #expect(throws: XMLMistake.tooMuch("text")) { try events("<a>\(long)</a>") }
    #expect(throws: XMLMistake.tooMuch("value")) { try events("<a b='\(long)'/>") }
  }

  @Test(arguments: 0..<40)
  func `mutated documents end in events or in an error`(seed: UInt64) {
    var random = Mutations(seed: seed)
    for _ in 0..<100 {
      let bytes = random.mutated(Array(AutoconfigSamples.whole.utf8))
      guard var reader = try? XMLReader(bytes) else { continue }
      var count = 0
      while let event = try? reader.next() {
        count += 1
        if case .text(let text) = event { #expect(!text.isEmpty) }
        #expect(count < 10_000)
        if count >= 10_000 { return }
      }
      _ = try? AutoconfigDocument(bytes)
    }
  }
}

/// Small damage, always the same for one seed.
struct Mutations {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(max(1, limit)))
  }

  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...next(4) {
      let place = next(bytes.count)
      switch next(5) {
      case 0 where !bytes.isEmpty: bytes.remove(at: place)
      case 1: bytes.insert(UInt8(next(256)), at: place)
      case 2 where !bytes.isEmpty: bytes[place] = Array("<>/&;\"'= !".utf8)[next(10)]
      case 3: bytes = Array(bytes[..<place])
      default: bytes += bytes[place...].prefix(200)
      }
    }
    return bytes
  }
}
