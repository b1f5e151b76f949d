import Testing

@testable import Reading

@Suite struct OfficeArchiveTests {
  /// One part of an archive that tells of itself what it likes.
  private struct Part {
    var name: String
    var bytes: [UInt8] = []
    var unpacked: Int?
    var packed: Int?
  }

  private func archive(_ parts: [Part]) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var file: [UInt8] = []
    var directory: [UInt8] = []
    for part in parts {
      let name = Array(part.name.utf8)
      let sizes =
        number(part.packed ?? part.bytes.count, 4) + number(part.unpacked ?? part.bytes.count, 4)
      directory += [0x50, 0x4B, 1, 2, 20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0] + number(0, 4) + sizes
      directory += number(name.count, 2) + number(0, 12) + number(file.count, 4) + name
      file += [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0] + number(0, 4) + sizes
      file += number(name.count, 2) + number(0, 2) + name + part.bytes
    }
    return file + directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + number(parts.count, 2)
      + number(parts.count, 2) + number(directory.count, 4) + number(file.count, 4) + [0, 0]
  }

  private func find(_ parts: Part...) -> DocumentTrap? {
    archive(parts).withUnsafeBytes { OfficeArchive.find(in: $0) }
  }

  private let words = Array("<w:document/>".utf8)

  @Test func `a document is looked into`() {
    #expect(find(Part(name: "word/document.xml", bytes: words)) == nil)
    let remote = Array("<a href='http://x/'/>".utf8)
    #expect(
      find(Part(name: "a.xml", bytes: words), Part(name: "content.xml", bytes: remote)) == nil)
    let picture = Array("<image href='http://x/'/>".utf8)
    #expect(
      find(Part(name: "a.xml", bytes: words), Part(name: "content.xml", bytes: picture))
        == .elsewhere)
  }

  @Test func `parts are looked at whatever they are called`() {
    let field = Array("\u{FEFF} <w:instrText>INCLUDEPICTURE \"http://x/\"</w:instrText>".utf8)
    for name in ["word/document.dat", "document", "a.png"] {
      #expect(find(Part(name: name, bytes: field)) == .elsewhere)
    }
    #expect(find(Part(name: "a.bin", bytes: Array("x".utf8) + field)) == nil)
  }

  @Test func `what fills the memory is asked about`() {
    let mega = 1 << 20
    // More than is looked at, more than a program should unpack, more than its packed bytes say, shared bytes.
    #expect(find(Part(name: "content.xml", bytes: words, unpacked: 33 * mega)) == .large)
    #expect(find(Part(name: "a.png", bytes: words, unpacked: 600 * mega)) == .large)
    #expect(find(Part(name: "a.png", bytes: words, unpacked: 17 * mega)) == .large)
    #expect(find(Part(name: "a.png", bytes: words, packed: 5000)) == .large)
    #expect(find(Part(name: "a.png", bytes: Array("GIF".utf8), unpacked: mega)) == nil)
    #expect(DocumentTrap.large.words.contains("halt"))
  }

  @Test func `what programs may read in two ways cannot be looked into`() {
    #expect(
      find(Part(name: "a.xml", bytes: words), Part(name: "A.xml", bytes: words)) == .unreadable)
    #expect(find(Part(name: "a.xml", bytes: words, unpacked: 20)) == .unreadable)
    #expect(find(Part(name: "a.xml", bytes: words, unpacked: 5)) == .unreadable)
  }
}
