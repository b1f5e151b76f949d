/// Text as it looks: characters in other forms become plain ones, and what takes no room goes.
///
/// Of the compatibility forms (UAX 15) those that a host's name or an address can be written in: browsers read them so
/// (UTS 46). By table, for the standard library keeps its normalisation to itself.
package enum PlainLetters {
  package static func fold(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    var folded = ""
    for scalar in text.unicodeScalars {
      if let plain = plain(scalar) {
        folded += plain
      } else {
        folded.unicodeScalars.append(scalar)
      }
    }
    return folded
  }

  /// The same of words, where signs count that only look like an address's own.
  static func fold(words: String) -> String {
    guard words.unicodeScalars.contains(where: { signs[$0] != nil }) else { return fold(words) }
    return fold(String(String.UnicodeScalarView(words.unicodeScalars.map { signs[$0] ?? $0 })))
  }

  static func isSign(_ scalar: Unicode.Scalar) -> Bool { signs[scalar] != nil }

  private static let signs: [Unicode.Scalar: Unicode.Scalar] = [
    "∕": "/", "⁄": "/", "⧸": "/", "╱": "/", "⟋": "/", "‐": "-", "‑": "-", "∶": ":", "꞉": ":",
  ]

  /// Whether a character is another form of one that can be seen.
  static func isOther(_ scalar: Unicode.Scalar) -> Bool {
    plain(scalar).map { !$0.isEmpty } ?? false
  }

  /// What a scalar becomes, empty where it cannot be seen; nil where it stays.
  private static func plain(_ scalar: Unicode.Scalar) -> String? {
    let value = scalar.value
    switch value {
    case ..<0x80: return nil
    case 0xFF01...0xFF5E: return letter(value - 0xFEE0)
    case 0x1D400...0x1D6A3:
      let place = (value - 0x1D400) % 52
      return letter(place < 26 ? 0x41 + place : 0x61 + place - 26)
    case 0x1D7CE...0x1D7FF: return letter(0x30 + (value - 0x1D7CE) % 10)
    case 0x24B6...0x24CF: return letter(0x41 + value - 0x24B6)
    case 0x24D0...0x24E9: return letter(0x61 + value - 0x24D0)
    case 0x2460...0x2468: return letter(0x31 + value - 0x2460)
    case 0x2080...0x2089: return letter(0x30 + value - 0x2080)
    default: return table[scalar] ?? (scalar.properties.isDefaultIgnorableCodePoint ? "" : nil)
    }
  }

  private static func letter(_ value: UInt32) -> String? {
    Unicode.Scalar(value).map { String(Character($0)) }
  }

  private static let table: [Unicode.Scalar: String] = {
    var table: [Unicode.Scalar: String] = ["…": "...", "\u{3000}": " ", "\u{A0}": " "]
    let pairs = """
      。. ｡. ﹒. ․. ﹫@ ﹕: ﹣- ⁰0 ¹1 ²2 ³3 ⁴4 ⁵5 ⁶6 ⁷7 ⁸8 ⁹9 ⓪0 ªa ºo ﬀff ﬁfi ﬂfl ﬃffi ﬄffl ﬅst ﬆst KK ÅÅ \
      ℬB ℰE ℱF ℋH ℐI ℒL ℳM ℛR ℯe ℊg ℴo ℭC ℌH ℑI ℜR ℨZ ℂC ℍH ℕN ℙP ℚQ ℝR ℤZ ℓl ℹi ⅅD ⅆd ⅇe ⅈi ⅉj ℎh \
      ⅠI ⅤV ⅩX ⅬL ⅭC ⅮD ⅯM ⅰi ⅴv ⅹx ⅼl ⅽc ⅾd ⅿm ᵃa ᵇb ᶜc ᵈd ᵉe ᶠf ᵍg ʰh ⁱi ʲj ᵏk ˡl ᵐm ⁿn ᵒo ᵖp ʳr ˢs ᵗt ᵘu \
      ᵛv ʷw ˣx ʸy ᶻz ₐa ₑe ₕh ᵢi ⱼj ₖk ₗl ₘm ₙn ₒo ₚp ᵣr ₛs ₜt ᵤu ᵥv ₓx
      """
    for pair in pairs.split(separator: " ") {
      if let first = pair.unicodeScalars.first {
        table[first] = String(String.UnicodeScalarView(pair.unicodeScalars.dropFirst()))
      }
    }
    return table
  }()
}
