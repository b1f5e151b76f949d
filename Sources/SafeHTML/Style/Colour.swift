/// A colour as pages name it, opaque or not.
struct Colour: Equatable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8
  var alpha: UInt8 = 255

  static let white = Colour(red: 255, green: 255, blue: 255)
  static let black = Colour(red: 0, green: 0, blue: 0)
  /// What browsers give links.
  static let link = Colour(red: 0, green: 0, blue: 238)

  /// Whether nobody could tell text of one from a ground of the other.
  func isLike(_ other: Colour) -> Bool {
    if isFaint { return true }
    func near(_ left: UInt8, _ right: UInt8) -> Bool { max(left, right) - min(left, right) <= 3 }
    return near(red, other.red) && near(green, other.green) && near(blue, other.blue)
  }

  /// Whether what is painted with it can hardly be seen on any ground.
  var isFaint: Bool { alpha < 26 }

  /// `#abc`, `#aabbcc`, `rgb(…)`, `hsl(…)`, or a name; nil where it is none that is known.
  ///
  /// - Parameter legacy: as in `bgcolor`, where the `#` may be missing.
  init?(_ bytes: PageBytes, legacy: Bool = false) {
    let bytes = bytes.trimmed
    guard let first = bytes.first else { return nil }
    if first == ASCII.number {
      self.init(hex: bytes.piece(1..<bytes.count))
    } else if let open = bytes.firstIndex(of: ASCII.openParenthesis),
      bytes.last == ASCII.closeParenthesis
    {
      self.init(
        function: bytes.piece(0..<open), arguments: bytes.piece(open + 1..<bytes.count - 1))
    } else if let known = Self.names[bytes.nameHash] {
      self = known
    } else if legacy, bytes.count == 6 || bytes.count == 3 {
      self.init(hex: bytes)
    } else {
      return nil
    }
  }

  init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  private init?(hex: PageBytes) {
    let digits = hex.compactMap { ASCII.hexValue($0) }
    guard digits.count == hex.count else { return nil }
    switch digits.count {
    case 3, 4:
      self.init(
        red: digits[0] * 17, green: digits[1] * 17, blue: digits[2] * 17,
        alpha: digits.count == 4 ? digits[3] * 17 : 255)
    case 6, 8:
      self.init(
        red: digits[0] << 4 | digits[1], green: digits[2] << 4 | digits[3],
        blue: digits[4] << 4 | digits[5],
        alpha: digits.count == 8 ? digits[6] << 4 | digits[7] : 255)
    default: return nil
    }
  }

  private init?(function: PageBytes, arguments: PageBytes) {
    let isHue = function.equals("hsl") || function.equals("hsla")
    guard isHue || function.equals("rgb") || function.equals("rgba") else { return nil }
    let parts = arguments.text.split { ", /".contains($0) }
    guard parts.count == 3 || parts.count == 4 else { return nil }
    let numbers = parts.compactMap { part in
      let isPart = part.hasSuffix("%")
      return Double(isPart ? part.dropLast() : part).map { (value: $0, isPart: isPart) }
    }
    guard numbers.count == parts.count else { return nil }
    let alpha = numbers.count == 4 ? numbers[3].value / (numbers[3].isPart ? 100 : 1) : 1
    let channels =
      isHue
      ? Self.channels(
        hue: numbers[0].value, saturation: numbers[1].value / 100,
        lightness: numbers[2].value / 100)
      : numbers.prefix(3).map { $0.value * ($0.isPart ? 2.55 : 1) }
    func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value))) }
    self.init(
      red: byte(channels[0]), green: byte(channels[1]), blue: byte(channels[2]),
      alpha: byte(alpha * 255))
  }

  /// Red, green and blue up to 255 (CSS Color 4 §7.1).
  private static func channels(hue: Double, saturation: Double, lightness: Double) -> [Double] {
    let (saturation, lightness) = (max(0, min(1, saturation)), max(0, min(1, lightness)))
    let reach = saturation * min(lightness, 1 - lightness)
    return [0.0, 8, 4].map { turn in
      let place = (turn + hue / 30).truncatingRemainder(dividingBy: 12)
      let k = place < 0 ? place + 12 : place
      return (lightness - reach * max(-1, min(k - 3, 9 - k, 1))) * 255
    }
  }

  /// Names and their six digits: the sixteen of HTML and those of CSS by which text is hidden or that mail uses much.
  private static let names: [UInt64: Colour] = {
    let words = """
      black 000000 silver c0c0c0 gray 808080 grey 808080 white ffffff maroon 800000 red ff0000 purple 800080 \
      fuchsia ff00ff magenta ff00ff green 008000 lime 00ff00 olive 808000 yellow ffff00 navy 000080 blue 0000ff \
      teal 008080 aqua 00ffff cyan 00ffff orange ffa500 pink ffc0cb brown a52a2a gold ffd700 beige f5f5dc \
      ivory fffff0 snow fffafa ghostwhite f8f8ff whitesmoke f5f5f5 floralwhite fffaf0 azure f0ffff \
      mintcream f5fffa seashell fff5ee linen faf0e6 oldlace fdf5e6 aliceblue f0f8ff honeydew f0fff0 \
      lightgray d3d3d3 lightgrey d3d3d3 darkgray a9a9a9 darkgrey a9a9a9 dimgray 696969 dimgrey 696969 \
      gainsboro dcdcdc darkblue 00008b mediumblue 0000cd royalblue 4169e1 steelblue 4682b4 skyblue 87ceeb \
      lightblue add8e6 darkred 8b0000 crimson dc143c tomato ff6347 salmon fa8072 darkgreen 006400 \
      lightgreen 90ee90 lightyellow ffffe0 darkorange ff8c00 indigo 4b0082 violet ee82ee
      """.split(separator: " ")
    var names: [UInt64: Colour] = [:]
    for place in stride(from: 0, to: words.count - 1, by: 2) {
      names[Array(words[place].utf8).withUnsafeBytes(\.nameHash)] =
        Array(words[place + 1].utf8).withUnsafeBytes { Colour(hex: $0) }
    }
    names[Array("transparent".utf8).withUnsafeBytes(\.nameHash)] = Colour(
      red: 0, green: 0, blue: 0, alpha: 0)
    return names
  }()
}
