/// One XML part of an office document.
struct OfficePart {
  private var tags: XMLTags
  /// In lower case.
  private let name: String
  /// The fields of a text, one after the other: Word splits them as it likes.
  private var fields = ""

  init(_ bytes: UnsafeRawBufferPointer, name: String) {
    tags = XMLTags(bytes)
    self.name = name
  }

  /// A part as ASCII but for letters; nil where it says that it is in characters of another kind.
  static func readable(_ part: [UInt8]) -> [UInt8]? {
    let isTurned = part.starts(with: [0xFF, 0xFE]) || part.starts(with: [0x3C, 0])
    if isTurned || part.starts(with: [0xFE, 0xFF]) || part.starts(with: [0, 0x3C]) {
      let units = stride(from: 0, to: part.count - 1, by: 2).map { place in
        isTurned
          ? UInt16(part[place]) | UInt16(part[place + 1]) << 8
          : UInt16(part[place]) << 8 | UInt16(part[place + 1])
      }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    }
    let head = part.prefix(200).drop { [0xEF, 0xBB, 0xBF].contains($0) }
      .map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }[...]
    return ContentKind.isInOddCharset(head) ? nil : part
  }

  mutating func find() -> DocumentTrap? {
    let isOpenDocument = ["content.xml", "styles.xml", "meta.xml"].contains {
      name == $0 || name.hasSuffix("/" + $0)
    }
    let isRelations = name.hasSuffix(".rels")
    while tags.next() {
      let trap =
        isRelations ? ofRelation() : ofWord() ?? ofSheet() ?? (isOpenDocument ? ofOpen() : nil)
      if let trap { return trap }
      if tags.isCalled("encryption-data") { return .unreadable }
    }
    if tags.hasDocumentType { return .unreadable }
    return ["ddeauto", "dde ", "includepicture", "includetext"].contains { fields.contains($0) }
      ? .elsewhere : nil
  }

  /// What a part is joined with (ECMA-376 part 2 §6.5).
  private func ofRelation() -> DocumentTrap? {
    guard tags.isCalled("Relationship") else { return nil }
    let target = OutsideAddress(tags.attribute("Target") ?? "")
    let type = tags.attribute("Type")?.split(separator: "/").last?.lowercased()
    switch type {
    case "vbaproject": return .macros
    // A page that becomes part of the text, with what it loads.
    case "afchunk": return .elsewhere
    // A person follows it.
    case "hyperlink": return nil
    default: break
    }
    let isOutside =
      tags.attribute("TargetMode")?.lowercased().contains("external") ?? false
      || target.isOutside
    if type == "attachedtemplate", target.isLocalFile { return nil }
    return isOutside ? .elsewhere : nil
  }

  private mutating func ofWord() -> DocumentTrap? {
    if tags.isCalled("instrText") {
      fields += tags.text.lowercased()
    } else if tags.isCalled("fldSimple") {
      fields += (tags.attribute("instr") ?? "").lowercased()
    }
    return nil
  }

  private func ofSheet() -> DocumentTrap? {
    if tags.isCalled("f"), Self.asksElsewhere(tags.text) { return .elsewhere }
    if tags.isCalled("webPr") { return .elsewhere }
    let refreshes = tags.isCalled("connection") ? tags.attribute("refreshOnLoad") : nil
    return refreshes == "1" || refreshes == "true" ? .elsewhere : nil
  }

  private func ofOpen() -> DocumentTrap? {
    if tags.attribute("dde-application") != nil { return .macros }
    if let formula = tags.attribute("formula"), Self.asksElsewhere(formula) { return .elsewhere }
    guard let reference = tags.attribute("href"), !tags.isCalled("a") else { return nil }
    let address = OutsideAddress(reference)
    if address.isScript { return .macros }
    if tags.isCalled("template"), address.isLocalFile { return nil }
    return address.isOutside ? .elsewhere : nil
  }

  private static func asksElsewhere(_ formula: String) -> Bool {
    let formula = formula.lowercased()
    return ["webservice(", "dde(", "_xlfn.image("].contains { formula.contains($0) }
  }
}

/// An address in a document, as far as it matters whether it is outside of it.
private struct OutsideAddress {
  /// In lower case.
  private let text: Substring

  init(_ text: String) {
    self.text = text.lowercased().drop { $0.isWhitespace || $0 == "\u{0}" }
  }

  private var scheme: Substring? {
    let word = text.prefix { $0.isLetter || $0.isNumber || "+.-".contains($0) }
    // One letter is a drive.
    return word.utf8.count > 1 && text[word.endIndex...].hasPrefix(":") ? word : nil
  }

  var isOutside: Bool {
    if let scheme { return scheme != "data" }
    return text.hasPrefix("//") || text.hasPrefix("\\\\")
  }

  var isScript: Bool {
    guard let scheme else { return false }
    return scheme == "macro" || scheme == "script" || scheme.hasPrefix("vnd.sun.star.script")
  }

  /// Whether it is on a disk of the machine itself: programs write so where a template lies.
  var isLocalFile: Bool {
    guard scheme == "file" else { return scheme == nil && !isOutside }
    let path = text.dropFirst(5)
    guard path.hasPrefix("///") else { return path.hasPrefix("/") && !path.hasPrefix("//") }
    let rest = path.dropFirst(3)
    return !rest.hasPrefix("/") && !rest.hasPrefix("\\") && !rest.hasPrefix("%")
  }
}
