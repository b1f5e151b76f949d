/// A name to save an attachment under, made from what a message says and safe to write (promise 9).
package enum SafeFileName {
  /// Bytes; leaves room for a counter below the 255 of most file systems.
  private static let limit = 180

  /// One path component: no directory of the sender's, no control or bidirectional characters, no leading dot or dash,
  /// no blanks or dots at the end, no name that a device answers to on Windows.
  ///
  /// - Parameter fallback: where nothing is left; it must be safe itself.
  package static func make(from raw: String, fallback: String) -> String {
    let last = raw.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
    var scalars = String.UnicodeScalarView()
    for scalar in last.unicodeScalars {
      switch scalar.value {
      case 0x00..<0x20, 0x7F...0x9F, 0x00AD, 0x034F, 0x061C, 0x200B...0x200F, 0x2028...0x202E,
        0x2060...0x206F, 0xFEFF, 0xE0000...0xE007F:
        continue
      case 0x22, 0x2A, 0x2F, 0x3A, 0x3C, 0x3E, 0x3F, 0x5C, 0x7C: scalars.append("_")
      default: scalars.append(scalar)
      }
    }
    let name = trimmed(String(scalars))
    guard !name.isEmpty else { return fallback }
    return bounded(isDevice(name) ? "_" + name : name)
  }

  /// `name (2).ext` for the second file of a name.
  package static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    let (stem, ending) = split(name)
    return "\(stem) (\(number))\(ending)"
  }

  private static func trimmed(_ name: String) -> String {
    let start = name.drop { $0 == "." || $0 == "-" || $0.isWhitespace }
    return String(start.reversed().drop { $0 == "." || $0.isWhitespace }.reversed())
  }

  private static func isDevice(_ name: String) -> Bool {
    let stem = name.prefix { $0 != "." }.lowercased()
    if ["con", "prn", "aux", "nul"].contains(stem) { return true }
    return stem.count == 4 && (stem.hasPrefix("com") || stem.hasPrefix("lpt"))
      && stem.last?.isNumber == true
  }

  private static func bounded(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    let (stem, ending) = split(name)
    let kept = ending.utf8.count > 20 ? "" : ending
    var short = ""
    for character in stem {
      guard short.utf8.count + String(character).utf8.count + kept.utf8.count <= limit else {
        break
      }
      short.append(character)
    }
    // A single cluster may be longer than any name.
    return short.isEmpty ? "attachment" + kept : short + kept
  }

  private static func split(_ name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }
}
