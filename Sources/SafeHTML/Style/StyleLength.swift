/// A length of a style, as far as it tells whether something can be seen.
struct StyleLength {
  var value: Double
  private let unit: Unit

  private enum Unit {
    case none, part
    /// So many pixels each.
    case fixed(Double)
    /// So many font sizes each.
    case relative(Double)
  }

  /// Pixels of a window as it may be.
  private static let (windowWidth, windowHeight) = (1000.0, 800.0)
  private static let normalSize = 16.0

  /// `12px`, `-.5em`, `0`; nil for what browsers do not know.
  init?(_ word: PageBytes) {
    guard let value = StyleWords.number(word) else { return nil }
    self.value = value
    let start = word.firstIndex { ASCII.isLetter($0) || $0 == ASCII.percent } ?? word.count
    let name = word.piece(start..<word.count)
    guard let unit = name.equals("px") ? .fixed(1) : Self.units[name.nameHash] else { return nil }
    self.unit = unit
  }

  var isPart: Bool { if case .part = unit { true } else { false } }
  var isNumber: Bool { if case .none = unit { true } else { false } }
  /// Whether it is as long whatever the font and the window are.
  var isFixed: Bool {
    switch unit {
    case .fixed, .none: true
    case .part, .relative: false
    }
  }

  /// - Parameters:
  ///   - size: of the font that it is relative to.
  ///   - whole: of what percent are; nil where that is not known: then it is the window.
  func pixels(size: Double, whole: Double? = nil) -> Double {
    switch unit {
    case .none: value
    case .fixed(let pixels): value * pixels
    case .relative(let sizes): value * sizes * size
    case .part: value / 100 * (whole ?? Self.windowWidth)
    }
  }

  private static let units: [UInt64: Unit] = {
    var units: [UInt64: Unit] = [:]
    for (name, unit) in names { units[Array(name.utf8).withUnsafeBytes(\.nameHash)] = unit }
    return units
  }()

  private static let names: [(String, Unit)] = [
    ("", .none), ("%", .part), ("px", .fixed(1)), ("pt", .fixed(4.0 / 3)), ("pc", .fixed(16)),
    ("in", .fixed(96)), ("cm", .fixed(96 / 2.54)), ("mm", .fixed(9.6 / 2.54)),
    ("q", .fixed(2.4 / 2.54)),
    ("em", .relative(1)), ("rem", .fixed(normalSize)), ("ex", .relative(0.5)),
    ("ch", .relative(0.5)),
    ("lh", .relative(1.5)), ("rlh", .fixed(1.5 * normalSize)), ("ic", .relative(1)),
    ("cap", .relative(0.7)), ("vw", .fixed(windowWidth / 100)), ("vh", .fixed(windowHeight / 100)),
    ("vi", .fixed(windowWidth / 100)), ("vb", .fixed(windowHeight / 100)),
    ("vmin", .fixed(windowHeight / 100)), ("vmax", .fixed(windowWidth / 100)),
    ("svw", .fixed(windowWidth / 100)), ("lvw", .fixed(windowWidth / 100)),
    ("dvw", .fixed(windowWidth / 100)), ("svh", .fixed(windowHeight / 100)),
    ("lvh", .fixed(windowHeight / 100)), ("dvh", .fixed(windowHeight / 100)),
  ]
}
