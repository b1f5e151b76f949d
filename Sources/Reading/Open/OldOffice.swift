/// Looks for what old office documents (OLE files) hold that runs or fetches something.
///
/// The file is not taken apart into its streams: names and fields are in it as they are, of one byte or two for each
/// character. A field that lies over two of its sectors is not found.
enum OldOffice {
  static func find(in content: UnsafeRawBufferPointer) -> DocumentTrap? {
    if content.holds(wide("_VBA_PROJECT"))
      || ["Macros", "VBA"].contains(where: { holdsEntry($0, in: content) })
      || holdsMacroSheet(content)
    {
      return .macros
    }
    if content.holds(wide("EncryptedPackage")) { return .unreadable }
    let lowered = content.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }
    let isFetching = lowered.withUnsafeBytes { text in
      let words = FetchingField.longNames + ["webservice("]
      return words.contains { text.holds($0) || text.holds(wide($0)) } || holdsField(text)
        || holdsTemplate(text)
    }
    return isFetching ? .elsewhere : nil
  }

  private static func wide(_ word: String) -> [UInt8] { word.utf8.flatMap { [$0, 0] } }

  /// Whether the directory has a storage or a stream of that name ([MS-CFB] §2.6.1): 64 bytes of name, its length with the
  /// NUL, and its kind.
  private static func holdsEntry(_ name: String, in content: UnsafeRawBufferPointer) -> Bool {
    let bytes = wide(name)
    let length = bytes.count + 2
    return stride(from: 0, to: content.count - 66, by: 128).contains { place in
      content[place + 64] == UInt8(length) && content[place + 65] == 0
        && (1...2).contains(content[place + 66])
        && content[place..<place + bytes.count].elementsEqual(bytes)
    }
  }

  /// Whether a sheet of a workbook is one of macros: BOUNDSHEET ([MS-XLS] §2.4.28), whose length is that of its name.
  private static func holdsMacroSheet(_ content: UnsafeRawBufferPointer) -> Bool {
    places(of: 0x85, in: content).contains { place in
      guard place + 12 <= content.count, content[place + 1] == 0, content[place + 3] == 0,
        content[place + 8] <= 2, content[place + 9] == 1 || content[place + 9] == 6,
        content[place + 11] <= 1
      else { return false }
      return Int(content[place + 2]) == 8 + Int(content[place + 10]) << Int(content[place + 11])
    }
  }

  /// Whether a field of a text (it begins with U+0013) fetches something.
  ///
  /// - Parameter text: in lower case.
  private static func holdsField(_ text: UnsafeRawBufferPointer) -> Bool {
    places(of: 0x13, in: text).contains { place in
      let isWide = place + 1 < text.count && text[place + 1] == 0
      let step = isWide ? 2 : 1
      let field = stride(from: place + step, to: min(text.count, place + 40 * step), by: step)
        .map { text[$0] }
      let name = String(decoding: field, as: UTF8.self)
      let isWhole = name.drop { $0.isWhitespace }.contains { $0.isWhitespace || $0 == "\\" }
      return isWhole && FetchingField.isOne(name)
    }
  }

  /// Whether the template of a text lies elsewhere.
  private static func holdsTemplate(_ text: UnsafeRawBufferPointer) -> Bool {
    let ending = wide(".dot")
    return places(of: ending[0], in: text).contains { place in
      guard text[place...].starts(with: ending) else { return false }
      var start = place
      while start >= 2, place - start < 1024, text[start - 1] == 0, text[start - 2] > 0x20 {
        start -= 2
      }
      let name = UnsafeRawBufferPointer(rebasing: text[start..<place])
      return name.holds(wide("://")) || name.holds(wide("\\\\"))
    }
  }

  private static func places(
    of byte: UInt8, in content: UnsafeRawBufferPointer
  ) -> some Sequence<Int> {
    content.indices.lazy.filter { content[$0] == byte }
  }
}
