/// One XML part of an office document.
struct OfficePart {
  private var tags: XMLTags
  /// In lower case.
  private let name: String
  /// The fields of a text, one after the other: Word splits them as it likes.
  private var fields = ""
  /// The one that is being read.
  private var field = ""
  private var hasFetchingField = false

  init(_ bytes: UnsafeRawBufferPointer, name: String) {
    tags = XMLTags(bytes)
    self.name = name
  }

  /// A part as ASCII but for letters; nil where it says that it is in characters of another kind.
  static func readable(_ part: [UInt8]) -> [UInt8]? {
    let inFour: [[UInt8]] = [
      [0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF], [0x3C, 0, 0, 0], [0, 0, 0, 0x3C],
    ]
    // Characters of four bytes, and those of old IBM machines.
    if inFour.contains(where: part.starts) || part.starts(with: [0x4C, 0x6F, 0xA7, 0x94]) {
      return nil
    }
    let isTurned = part.starts(with: [0xFF, 0xFE]) || part.starts(with: [0x3C, 0])
    if isTurned || part.starts(with: [0xFE, 0xFF]) || part.starts(with: [0, 0x3C]) {
      let units = stride(from: 0, to: part.count - 1, by: 2).map { place in
        isTurned
          ? UInt16(part[place]) | UInt16(part[place + 1]) << 8
          : UInt16(part[place]) << 8 | UInt16(part[place + 1])
      }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    }
    let head = part.prefix(4096).drop { [0xEF, 0xBB, 0xBF].contains($0) }
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
    endField()
    return hasFetchingField || FetchingField.longNames.contains(where: fields.contains)
      ? .elsewhere : nil
  }

  /// What a part is joined with (ECMA-376 part 2 §6.5).
  private func ofRelation() -> DocumentTrap? {
    guard tags.isCalled("Relationship") else { return nil }
    let targets = tags.attributes("Target").map(OutsideAddress.init)
    let types = tags.attributes("Type").map { $0.split(separator: "/").last?.lowercased() }
    if types.contains("vbaproject") { return .macros }
    // A page that becomes part of the text, with what it loads.
    if types.contains("afchunk") { return .elsewhere }
    // A person follows it.
    if !types.isEmpty, types.allSatisfy({ $0 == "hyperlink" }) { return nil }
    let isOutside =
      tags.attributes("TargetMode").contains { $0.lowercased().contains("external") }
      || targets.contains(where: \.isOutside)
    let isTemplate = !types.isEmpty && types.allSatisfy { $0 == "attachedtemplate" }
    if isTemplate, targets.allSatisfy(\.isLocalFile) { return nil }
    return isOutside ? .elsewhere : nil
  }

  private mutating func ofWord() -> DocumentTrap? {
    if tags.isCalled("instrText") {
      let text = tags.text.lowercased()
      fields += text
      field += text
    } else if tags.isCalled("fldChar") {
      endField()
    } else if tags.isCalled("fldSimple") {
      endField()
      field = tags.attributes("instr").joined(separator: " ").lowercased()
      fields += field
      endField()
    } else if tags.isCalled("blip"), tags.attributes("link").contains(where: { !$0.isEmpty }) {
      // Whatever kind of relation it names: that of a hyperlink is none to be asked about.
      return .elsewhere
    }
    return nil
  }

  private mutating func endField() {
    if FetchingField.isOne(field) { hasFetchingField = true }
    field = ""
  }

  private func ofSheet() -> DocumentTrap? {
    let isFormula = ["f", "formula", "formula1", "formula2", "definedName"].contains {
      tags.isCalled($0)
    }
    if isFormula, Self.asksElsewhere(tags.text) { return .elsewhere }
    if tags.isCalled("webPr") { return .elsewhere }
    let refreshes = tags.isCalled("connection") ? tags.attributes("refreshOnLoad") : []
    return refreshes.contains { $0 == "1" || $0 == "true" } ? .elsewhere : nil
  }

  private func ofOpen() -> DocumentTrap? {
    if !tags.attributes("dde-application").isEmpty { return .macros }
    if tags.attributes("formula").contains(where: Self.asksElsewhere) { return .elsewhere }
    let sources =
      tags.attributes("image-data") + (tags.isCalled("instance") ? tags.attributes("src") : [])
    if sources.contains(where: { OutsideAddress($0).isOutside }) { return .elsewhere }
    guard !tags.isCalled("a") else { return nil }
    let addresses = tags.attributes("href").map(OutsideAddress.init)
    if addresses.contains(where: \.isScript) { return .macros }
    if tags.isCalled("template"), addresses.allSatisfy(\.isLocalFile) { return nil }
    return addresses.contains(where: \.isOutside) ? .elsewhere : nil
  }

  private static func asksElsewhere(_ formula: String) -> Bool {
    let formula = String(formula.lowercased().filter { !$0.isWhitespace })
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
