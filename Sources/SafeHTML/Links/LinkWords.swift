/// What can be read of a link, on one line.
struct LinkWords {
  /// In the order of its characters, without those that take no room.
  let text: String
  /// In what ways it may be read: with and without the words of pictures and blanks that hardly take room, and as a browser shows it that turns
  /// characters round where the page says so, which is what its sender meant to be read.
  let readings: [String]
  /// The hosts named by words that the link is only a part of: what a reader sees is the whole of each.
  let inPlace: [NamedHosts]
  /// Whether there are more words than were read.
  let isCut: Bool

  /// Stands for a blank that may be too narrow to be seen.
  static let gap: UInt8 = 0x1F
  /// Before and behind the words of a picture.
  static let pictureStart: UInt8 = 0x1D
  static let pictureEnd: UInt8 = 0x1E

  private static let turn: Unicode.Scalar = "\u{202E}"
  private static let ends: Set<Unicode.Scalar> = [
    "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
  ]

  init(_ text: String) { self.init(bytes: Array(text.utf8)) }

  /// UTF-8 in which `bdo` was written as the control character that does the same.
  ///
  /// - Parameter inPlace: the words that it is only a part of.
  init(bytes: [UInt8], inPlace: [NamedHosts] = [], isCut: Bool = false) {
    self.isCut = isCut
    self.inPlace = inPlace
    guard bytes.contains(where: { $0 >= 0x80 || $0 < ASCII.space }) else {
      // Most links: without a look at each character.
      let words = bytes.split(whereSeparator: ASCII.isBlank).joined(separator: [ASCII.space])
      text = String(decoding: Array(words), as: UTF8.self)
      readings = [text]
      return
    }
    var variants = [
      bytes.map { $0 == Self.pictureStart || $0 == Self.pictureEnd ? ASCII.space : $0 }
    ]
    if bytes.contains(Self.pictureStart) { variants.append(Self.withoutPictures(bytes)) }
    readings = variants.flatMap { Self.readings(of: String(decoding: $0, as: UTF8.self)) }
    text = readings[0]
  }

  private static func readings(of words: String) -> [String] {
    let hasGaps = words.unicodeScalars.contains(where: Self.isGap)
    let joined = String(String.UnicodeScalarView(words.unicodeScalars.filter { !Self.isGap($0) }))
    var readings: [String] = []
    for words in hasGaps ? [words, joined] : [words] {
      readings.append(Self.collapsed(Self.visible(words.unicodeScalars)))
      if words.unicodeScalars.contains(Self.turn) {
        readings.append(Self.collapsed(Self.visible(Self.turned(words.unicodeScalars))))
      }
    }
    return readings
  }

  /// Without the words of pictures.
  private static func withoutPictures(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(pictureStart) else { return bytes }
    var isInPicture = false
    return bytes.filter { byte in
      if byte == pictureStart { isInPicture = true }
      defer { if byte == pictureEnd { isInPicture = false } }
      return !isInPicture
    }
  }

  private static func isGap(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == UInt32(gap) || scalar.isNarrowBlank
  }

  private static func collapsed(_ words: String) -> String {
    words.split { $0.isWhitespace || $0.utf8.elementsEqual([gap]) }.joined(separator: " ")
  }

  private static func turned(_ words: String.UnicodeScalarView) -> String.UnicodeScalarView {
    var shown = String.UnicodeScalarView()
    var turned: [Unicode.Scalar]?
    for scalar in words {
      if scalar == turn || ends.contains(scalar) {
        shown.append(contentsOf: (turned ?? []).reversed())
        turned = scalar == turn ? [] : nil
      } else if turned != nil {
        turned?.append(scalar)
      } else {
        shown.append(scalar)
      }
    }
    shown.append(contentsOf: (turned ?? []).reversed())
    return shown
  }

  private static func visible(_ scalars: String.UnicodeScalarView) -> String {
    String(String.UnicodeScalarView(scalars.filter { !$0.properties.isDefaultIgnorableCodePoint }))
  }
}

extension Unicode.Scalar {
  /// Whether it is a blank that may be too narrow to be seen.
  var isNarrowBlank: Bool {
    switch value {
    case 0x2004...0x200A, 0x202F, 0x205F: true
    default: false
    }
  }
}
