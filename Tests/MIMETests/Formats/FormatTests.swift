import MIME
import Testing

struct FormatTests {
  @Test(arguments: [
    ("setup.exe", DangerousType.windowsExecutable), ("a.pdf.SCR", .windowsExecutable),
    ("a.exe. . ", .windowsExecutable),
    ("invoice\u{202E}fdp.exe", .windowsExecutable), ("a.lnk", .windowsExecutable),
    ("a.js", .script), ("a.VBS", .script), ("a.bat", .script),
    ("a.hta", .script), ("a.docm", .script), ("a.dmg", .macExecutable),
    ("a.command", .macExecutable), ("a.terminal", .macExecutable),
    ("a.apk", .androidPackage), ("a.tar.gz", .archive), ("a.r07", .archive), ("a.001", .archive),
    ("a.iso", .archive),
    ("a.ex\u{200B}e", .windowsExecutable), ("a.exe\u{A0}", .windowsExecutable),
    ("x.pdf                .exe", .windowsExecutable),
  ]) func `names tell what is dangerous`(name: String, warning: DangerousType) {
    #expect(DangerousType.of(fileName: name, mediaType: "application/octet-stream") == warning)
  }

  @Test(arguments: [
    "a.pdf", "exe", "a.exe.pdf", "", "...", "a.jpg", "a.docx", "zip file", "a.2021",
  ])
  func `ordinary names are no cause for alarm`(name: String) {
    #expect(DangerousType.of(fileName: name, mediaType: "application/octet-stream") == nil)
  }

  @Test func `the worse of name and type counts`() {
    #expect(
      DangerousType.of(fileName: "a.pdf", mediaType: "application/x-msdownload")
        == .windowsExecutable)
    #expect(
      DangerousType.of(fileName: "a.zip", mediaType: "application/x-dosexec") == .windowsExecutable)
    #expect(DangerousType.of(fileName: "a.exe", mediaType: "application/zip") == .windowsExecutable)
    #expect(DangerousType.of(fileName: nil, mediaType: "application/zip") == .archive)
    #expect(DangerousType.of(fileName: nil, mediaType: "image/png") == nil)
    for warning in DangerousType.allCases { #expect(DangerousType(name: warning.name) == warning) }
  }

  // MARK: TNEF, built here by MS-OXTNEF

  static func little(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func attribute(_ identifier: Int, _ data: [UInt8]) -> [UInt8] {
    [2] + little(identifier, 4) + little(data.count, 4) + data
      + little(data.reduce(0) { $0 + Int($1) }, 2)
  }

  static func tnef(longName: String?) -> [UInt8] {
    var properties = little(longName == nil ? 1 : 2, 4) + little(0x0E20_0003, 4) + little(5, 4)
    if let longName {
      let wide: [UInt8] = longName.utf16.flatMap { little(Int($0), 2) } + little(0, 2)
      properties += little(0x3707_001F, 4) + little(1, 4) + little(wide.count, 4) + wide
      properties += [UInt8](repeating: 0, count: (4 - wide.count % 4) % 4)
    }
    return little(0x223E_9F78, 4) + little(1, 2)
      + attribute(0x0006_9002, [UInt8](repeating: 0, count: 14))
      + attribute(0x0001_8010, Array("REPORT~1.DOC".utf8) + [0])
      + attribute(0x0006_800F, Array("content".utf8))
      + attribute(0x0006_9005, properties) + attribute(0x0006_9002, [])
      + attribute(0x0001_8010, Array("b.exe".utf8) + [0])
      + attribute(0x0006_800F, [1, 2, 3])
  }

  static func files(_ bytes: [UInt8]) -> [String] {
    bytes.withUnsafeBytes { bytes in
      TNEF.files(bytes).map {
        "\($0.name ?? "?") \(String(decoding: bytes[$0.content], as: UTF8.self).count)"
      }
    }
  }

  @Test func `a winmail.dat lists its files by their long names`() {
    #expect(Self.files(Self.tnef(longName: "Berichtüber.doc")) == ["Berichtüber.doc 7", "b.exe 3"])
    #expect(Self.files(Self.tnef(longName: nil)) == ["REPORT~1.DOC 7", "b.exe 3"])
    #expect(Self.files([1, 2, 3]) == [])
  }

  @Test func `a damaged winmail.dat never breaks the reader`() {
    let whole = Self.tnef(longName: "x.doc")
    for end in 0..<whole.count { _ = Self.files(Array(whole[..<end])) }
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<4 { bytes[Int.random(in: 6..<bytes.count)] = UInt8.random(in: 0...255) }
      _ = Self.files(bytes)
    }
  }

  @Test func `the files of a winmail.dat are attachments and can be taken out`() {
    let encoded = TransferDecoderTests.base64(Self.tnef(longName: "x.exe"))
    let message = SampleMessage(
      "Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n\(encoded)\n"
    )
    let attachments = message.text.attachments
    #expect(attachments.map(\.section) == ["1", "1:1", "1:2"])
    #expect(attachments.map(\.fileName) == ["winmail.dat", "x.exe", "b.exe"])
    #expect(attachments.map(\.warning) == [nil, .windowsExecutable, .windowsExecutable])
    #expect(message.content("1:1") == "content")
  }

  @Test func `uuencode blocks are found among lines of text`() {
    let text =
      "begin a new day\nbegin 644 not one\nplain\nbegin 644 a b.txt\n#0V%T\n`\nend\nrest\nbegin 755 cut\n#0V%T\n"
    let bytes = Array(text.utf8)
    let names = bytes.withUnsafeBytes { bytes in
      UUEncode.blocks(in: bytes).map { String(decoding: bytes[$0.name], as: UTF8.self) }
    }
    #expect(names == ["a b.txt", "cut"])
  }
}
