/// What a document may hold that does more than show something: macros, and what its program fetches from elsewhere.
///
/// Of office documents, RTF, calendars, cards and Markdown; PDF is not looked into.
enum DocumentTrap: Equatable {
  case macros, elsewhere, unreadable

  /// Behind the document's name.
  var words: String {
    switch self {
    case .macros: "holds macros or objects that can run"
    case .elsewhere: "has its program fetch something from elsewhere"
    case .unreadable: "cannot be looked into for macros"
    }
  }

  /// Of what an archive unpacks to; more is in no ordinary document.
  private static let most = 32 << 20

  /// - Parameter ending: of the name.
  static func find(
    in content: UnsafeRawBufferPointer, _ kind: ContentKind, ending: String?
  ) -> DocumentTrap? {
    switch kind {
    case .zip: findInArchive(content)
    case .ole:
      // Names in it are UTF-16.
      has(content, Array("_VBA_PROJECT".utf8).flatMap { [$0, 0] })
        || has(content, Array("Macros".utf8).flatMap { [$0, 0] }) ? .macros : nil
    case .rtf: findInRTF(content)
    case .text: findInText(content, ending: ending)
    default: nil
    }
  }

  private static func has(_ content: UnsafeRawBufferPointer, _ word: [UInt8]) -> Bool {
    content.firstRange(of: word) != nil
  }

  private static func findInRTF(_ content: UnsafeRawBufferPointer) -> DocumentTrap? {
    let text = lowered(content)
    if ["\\objdata", "\\objclass", "\\objocx"].contains(where: { text.contains($0) }) {
      return .macros
    }
    let words = [
      "\\template", "\\objautlink", "\\objlink", "includepicture", "includetext", "ddeauto",
    ]
    return words.contains { text.contains($0) } ? .elsewhere : nil
  }

  /// Properties by which calendars and cards name a file, and pictures of Markdown.
  private static func findInText(
    _ content: UnsafeRawBufferPointer, ending: String?
  ) -> DocumentTrap? {
    switch ending {
    case "ics", "vcf":
      // A long line goes on in the next, after a blank.
      let text = lowered(content).replacing("\r\n", with: "\n").replacing("\n ", with: "")
        .replacing("\n\t", with: "")
      let isTrap = text.split(separator: "\n").contains { line in
        let name = line.prefix { $0 != ":" && $0 != ";" }.split(separator: ".").last ?? ""
        let isFile = ["attach", "image", "photo", "logo", "sound", "source", "conference"]
          .contains(name)
        return isFile && line.contains("://")
      }
      return isTrap ? .elsewhere : nil
    case "md":
      let text = lowered(content)
      return text.contains("![") || text.contains("<img") || text.contains("<iframe")
        ? .elsewhere : nil
    default: return nil
    }
  }

  private static func lowered(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.lazy.filter { $0 != 0 }, as: UTF8.self).lowercased()
  }

  // MARK: Office Open XML and OpenDocument

  private static func findInArchive(_ content: UnsafeRawBufferPointer) -> DocumentTrap? {
    guard let archive = ZipArchive(content) else { return .unreadable }
    var left = most
    for entry in archive.entries {
      let name = entry.name.lowercased()
      if name.hasSuffix("vbaproject.bin") || name.hasPrefix("basic/") || name.hasPrefix("scripts/")
        || name.contains("activex/") || name.contains("macrosheets/")
      {
        return .macros
      }
      if name.contains("externallinks/") || name.contains("webextensions/") { return .elsewhere }
      let isOpenDocument = name.hasSuffix("content.xml") || name.hasSuffix("styles.xml")
      guard isOpenDocument || name.hasSuffix(".rels") else { continue }
      guard let part = archive.content(of: entry, most: left) else { return .unreadable }
      left -= part.count
      if namesElsewhere(lowered(part)) { return .elsewhere }
    }
    return nil
  }

  /// Whether an element names a file outside, and is no link that a person follows.
  private static func namesElsewhere(_ xml: String) -> Bool {
    xml.split(separator: "<").contains { element in
      if element.hasPrefix("text:a ") || element.hasPrefix("draw:a ") { return false }
      if element.contains("targetmode"), element.contains("external") {
        return !element.contains("/hyperlink\"") && !element.contains("/hyperlink'")
      }
      guard let reference = element.firstRange(of: "xlink:href=") else { return false }
      let address = element[reference.upperBound...].dropFirst()
      return ["http", "ftp", "file:", "//", "\\\\", "smb:", "dav"].contains {
        address.hasPrefix($0)
      }
    }
  }
}
