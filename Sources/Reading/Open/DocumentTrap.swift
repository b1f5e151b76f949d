/// What a document may hold that does more than show something: macros, and what its program fetches from elsewhere.
///
/// Of office documents, old ones too, RTF, calendars, cards and Markdown; PDF is not looked into.
enum DocumentTrap: Equatable {
  case macros, elsewhere, unreadable
  /// It fills the memory of its program.
  case large

  /// Behind the document's name.
  var words: String {
    switch self {
    case .macros: "holds macros or objects that can run"
    case .elsewhere: "has its program fetch something from elsewhere"
    case .unreadable: "cannot be looked into for macros"
    case .large: "unpacks to so much that its program may come to a halt"
    }
  }

  /// - Parameter ending: of the name.
  static func find(
    in content: UnsafeRawBufferPointer, _ kind: ContentKind, ending: String?
  ) -> DocumentTrap? {
    switch kind {
    case .zip: OfficeArchive.find(in: content)
    case .ole: OldOffice.find(in: content)
    case .rtf: findInRTF(content)
    case .mp4: findInFilm(content)
    case .text: findInText(content, ending: ending)
    default: nil
    }
  }

  private static func findInRTF(_ content: UnsafeRawBufferPointer) -> DocumentTrap? {
    let lowered = content.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }
    let found: DocumentTrap? = lowered.withUnsafeBytes { bytes in
      if ["\\objdata", "\\objclass", "\\objocx"].contains(where: bytes.holds) { return .macros }
      let words = ["\\template", "\\objautlink", "\\objlink"]
      if words.contains(where: bytes.holds) { return .elsewhere }
      // Bytes that are no text, in which words of it may seem to stand.
      return (1...9).contains { bytes.holds("\\bin\($0)") } ? .unreadable : nil
    }
    let isFetching = [true, false].contains { keepsOptional in
      RTFText.of(lowered, keepsOptional: keepsOptional).withUnsafeBytes { text in
        FetchingField.names.contains { text.holds([RTFText.fieldStart] + $0.utf8) }
          || FetchingField.longNames.contains(where: text.holds)
      }
    }
    return found ?? (isFetching ? .elsewhere : nil)
  }

  /// Whether a film of QuickTime names others to play instead, or a file that holds it; or says so packed.
  private static func findInFilm(_ content: UnsafeRawBufferPointer) -> DocumentTrap? {
    let isElsewhere =
      content.holds("rmra") && content.holds("rdrf") || content.holds("cmvd")
      // Of another file: without the flag that it is this one.
      || content.holds(Array("url ".utf8) + [0, 0, 0, 0])
    return isElsewhere ? .elsewhere : nil
  }

  /// Properties by which calendars and cards name a file, what Markdown loads, and formulas of sheets.
  private static func findInText(
    _ content: UnsafeRawBufferPointer, ending: String?
  ) -> DocumentTrap? {
    switch ending {
    case "ics", "vcf":
      return namesFiles(content) ? .elsewhere : nil
    case "md":
      let text = lowered(content)
      return ["![", "src", "<link", "<style", "<object", "<meta", "poster", "style="]
        .contains { text.contains($0) } ? .elsewhere : nil
    case "csv", "tsv":
      // SYLK, which programs of sheets read whatever it is called; and cells that are no values.
      let text = lowered(content.lazy.filter { $0 > 0x20 })
      if text.drop(while: { $0 == "\u{FEFF}" }).hasPrefix("id;") { return .macros }
      let isFetching = [
        "webservice(", "dde(", "=image(", "cmd|", "='http", "='ftp", "='file:", "='smb:", "='\\\\",
        "='//",
      ].contains { text.contains($0) }
      return isFetching || asksProgram(content) ? .elsewhere : nil
    default: return nil
    }
  }

  /// Whether a cell is a formula that asks a program of the machine: `=MSEXCEL|…`.
  private static func asksProgram(_ content: UnsafeRawBufferPointer) -> Bool {
    /// What of such a cell has come.
    enum Part { case nothing, start, mark, name }
    var part = Part.start
    for byte in content where byte > 0x20 && byte != 0x22 || byte == 0x09 || byte == 0x0A {
      switch byte {
      case 0x09, 0x0A, UInt8(ascii: ","), UInt8(ascii: ";"): part = .start
      case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"):
        part = part == .start || part == .mark ? .mark : .nothing
      case UInt8(ascii: "|"):
        if part == .name { return true }
        part = .nothing
      case _ where (byte | 0x20) &- 97 < 26:
        part = part == .mark || part == .name ? .name : .nothing
      case _ where byte &- 48 < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_"):
        if part != .name { part = .nothing }
      default: part = .nothing
      }
    }
    return false
  }

  /// Whether a property of a calendar or a card is a file that lies elsewhere. A long line goes on in the next, after a
  /// blank.
  private static func namesFiles(_ content: UnsafeRawBufferPointer) -> Bool {
    var line: [UInt8] = []
    func isTrap() -> Bool {
      let colon = UInt8(ascii: ":")
      let name =
        line.prefix { $0 != colon && $0 != UInt8(ascii: ";") }
        .split(separator: UInt8(ascii: ".")).last ?? []
      let isFile = ["attach", "image", "photo", "logo", "sound", "source"]
        .contains { name.elementsEqual($0.utf8) }
      return isFile && line.withUnsafeBytes { $0.holds("://") }
    }
    var isLineEnd = false
    for byte in content where byte != 0 && byte != 0x0D {
      if isLineEnd, byte != 0x20, byte != 0x09 {
        if isTrap() { return true }
        line.removeAll(keepingCapacity: true)
      } else if isLineEnd {
        isLineEnd = false
        continue
      }
      isLineEnd = byte == 0x0A
      if !isLineEnd { line.append(byte &- 65 < 26 ? byte | 0x20 : byte) }
    }
    return isTrap()
  }

  private static func lowered(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.lazy.filter { $0 != 0 }, as: UTF8.self).lowercased()
  }
}
