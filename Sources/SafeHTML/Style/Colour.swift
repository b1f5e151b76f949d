/// A colour as pages name it, opaque or not.
struct Colour: Equatable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8
  var alpha: UInt8 = 255

  static let white = Colour(red: 255, green: 255, blue: 255)
  static let black = Colour(red: 0, green: 0, blue: 0)
  /// What our page gives links.
  static let link = Colour(red: 11, green: 87, blue: 196)

  /// Whether text of one cannot be told from a ground of the other.
  func isLike(_ other: Colour) -> Bool {
    if isFaint { return true }
    func near(_ left: UInt8, _ right: UInt8) -> Bool { max(left, right) - min(left, right) <= 3 }
    return near(red, other.red) && near(green, other.green) && near(blue, other.blue)
  }

  /// From 1, where they cannot be told apart, to 21 (after WCAG 2 §1.4.3, with a square for the power of 2.4).
  func contrast(to other: Colour) -> Double {
    let lightness = [self, other].map(\.lightness).sorted()
    return (lightness[1] + 0.05) / (lightness[0] + 0.05)
  }

  private var lightness: Double {
    func part(_ channel: UInt8) -> Double { Double(channel) * Double(channel) / 65025 }
    return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
  }

  /// Whether what is painted with it can hardly be seen on any ground.
  var isFaint: Bool { alpha < 26 }

  static let transparent = Colour(red: 0, green: 0, blue: 0, alpha: 0)
  /// What browsers lay below a `mark`.
  static let marker = Colour(red: 255, green: 255, blue: 0)

  /// Of the words in the place of a picture (`PageStyle`).
  static let placeholder = Colour(red: 0x5F, green: 0x5F, blue: 0x64)

  /// `#abc`, `#aabbcc`, `rgb(…)`, `hsl(…)`, or a name, as in a style; nil where it is none that is known.
  init?(_ bytes: PageBytes) {
    let bytes = bytes.trimmed
    guard let first = bytes.first else { return nil }
    if first == ASCII.number {
      self.init(hex: bytes.piece(1..<bytes.count))
    } else if let open = bytes.firstIndex(of: ASCII.openParenthesis),
      bytes.last == ASCII.closeParenthesis
    {
      self.init(
        function: bytes.piece(0..<open), arguments: bytes.piece(open + 1..<bytes.count - 1))
    } else if let known = Self.named(bytes) ?? Self.ofSystem(bytes) {
      self = known
    } else if bytes.equals("transparent") {
      self = .transparent
    } else {
      return nil
    }
  }

  /// As in `bgcolor` and `color`, where any characters make a colour (HTML Standard §2.3.6).
  init?(attribute bytes: PageBytes) {
    let bytes = bytes.trimmed
    guard !bytes.isEmpty, !bytes.equals("transparent") else { return nil }
    if let known = Self.named(bytes) {
      self = known
      return
    }
    var digits = bytes.first == ASCII.number ? bytes.piece(1..<bytes.count) : bytes
    if digits.count == 3, bytes.count == 4, digits.allSatisfy({ ASCII.hexValue($0) != nil }) {
      self.init(hex: digits)
      return
    }
    digits = digits.piece(0..<min(digits.count, 128))
    let third = max(1, (digits.count + 2) / 3)
    // Of each third, what is missing being zeros, the last eight digits, and of these the first two that tell the thirds apart.
    func digit(_ channel: Int, _ place: Int) -> UInt8 {
      let index = channel * third + place
      return index < digits.count ? ASCII.hexValue(digits[index]) ?? 0 : 0
    }
    var start = max(0, third - 8)
    while third - start > 2, (0..<3).allSatisfy({ digit($0, start) == 0 }) { start += 1 }
    let channels = (0..<3).map { channel in
      third - start == 1
        ? digit(channel, start) : digit(channel, start) << 4 | digit(channel, start + 1)
    }
    self.init(red: channels[0], green: channels[1], blue: channels[2])
  }

  init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  init?(hex: PageBytes) {
    guard hex.allSatisfy({ ASCII.hexValue($0) != nil }) else { return nil }
    func digit(_ place: Int) -> UInt8 { ASCII.hexValue(hex[place]) ?? 0 }
    func pair(_ place: Int) -> UInt8 { digit(place) << 4 | digit(place + 1) }
    switch hex.count {
    case 3, 4:
      self.init(
        red: digit(0) * 17, green: digit(1) * 17, blue: digit(2) * 17,
        alpha: hex.count == 4 ? digit(3) * 17 : 255)
    case 6, 8:
      self.init(
        red: pair(0), green: pair(2), blue: pair(4), alpha: hex.count == 8 ? pair(6) : 255)
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
}
