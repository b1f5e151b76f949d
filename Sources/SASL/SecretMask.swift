import MailCore

/// Cuts a log-in's secret out of what a server says, in every form in which the server has heard it.
///
/// Servers repeat the line that they refuse, whole or cut short. So any eight bytes in a row that are the secret's, or
/// belong to one of its forms, are cut out; of a shorter secret the whole. Where a piece of its Base64 is found, the word
/// around it goes, too: the characters at its ends hold bits of the secret.
package struct SecretMask: Sendable {
  /// As it is, and as quoted strings, URLs and JSON have it.
  private var plain = Forms()
  private var encoded = Forms()

  package init() {}

  package var isEmpty: Bool { plain.isEmpty && encoded.isEmpty }

  /// Also hides what is made of the secret in this log-in.
  package init(_ credential: SASLCredential, host: String, port: UInt16) {
    hide(credential.secret)
    guard credential.kind != .none else { return }
    if let message = try? PlainExchange(credential).message { hide(response: message) }
    for mechanism in [SASLMechanism.xoauth2, .oauthBearer] {
      let exchange = try? OAuthExchange(mechanism, credential: credential, host: host, port: port)
      if let exchange { hide(response: exchange.message) }
    }
  }

  /// Shorter than three bytes it is not looked for: cutting every such letter would give it away.
  package mutating func hide(_ secret: Secret) {
    let bytes = secret.withBytes { $0 }
    guard bytes.count >= 3 else { return }
    plain.insert(bytes)
    // As text a server's words are UTF-8, whatever bytes the secret has.
    plain.insert(Array(String(decoding: bytes, as: UTF8.self).utf8))
    plain.insert(bytes.flatMap { $0 == 0x22 || $0 == 0x5C ? [0x5C, $0] : [$0] })
    plain.insert(bytes.flatMap(Self.percentEncoded))
    for shift in 0..<3 {
      let text = Self.base64(bytes, after: shift)
      if text.count >= 4 { encoded.insert(text) }
    }
  }

  /// What answered a challenge, in Base64 as it was sent.
  package mutating func hide(answer: [UInt8]) {
    if answer.count >= 4 { encoded.insert(answer) }
  }

  private mutating func hide(response: [UInt8]) { hide(answer: Base64.encode(response)) }

  /// Hides what either of them hides.
  package mutating func formUnion(_ other: SecretMask) {
    plain.formUnion(other.plain)
    encoded.formUnion(other.encoded)
  }

  /// The Base64 characters that hold nothing but these bytes when others stand before them.
  private static func base64(_ bytes: [UInt8], after shift: Int) -> [UInt8] {
    let text = Base64.encode([UInt8](repeating: 0, count: shift) + bytes)
    let first = (shift * 8 + 5) / 6
    return Array(text[first..<((shift + bytes.count) * 8 / 6)])
  }

  private static func percentEncoded(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      [byte]
    default:
      Array("%".utf8) + Hexadecimal.lower([byte]).map { $0 >= 0x61 ? $0 - 0x20 : $0 }
    }
  }

  // MARK: Cutting

  package func masked(_ text: String) -> String {
    guard !isEmpty else { return text }
    var text = text
    guard let hidden = text.withUTF8({ places(in: UnsafeRawBufferPointer($0)) }) else {
      return text
    }
    return String(decoding: Self.cut(Array(text.utf8), hidden), as: UTF8.self)
  }

  package func masked(_ line: [UInt8]) -> [UInt8] {
    guard !isEmpty, let hidden = line.withUnsafeBytes({ places(in: $0) }) else { return line }
    return Self.cut(line, hidden)
  }

  private static func cut(_ bytes: [UInt8], _ hidden: [Bool]) -> [UInt8] {
    var shown: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if !hidden[index] {
        shown.append(byte)
      } else if index == 0 || !hidden[index - 1] {
        shown += Array("<secret>".utf8)
      }
    }
    return shown
  }

  /// Nil where there is nothing to hide.
  private func places(in bytes: UnsafeRawBufferPointer) -> [Bool]? {
    var hidden: [Bool]?
    let all = (0..<bytes.count).map { $0 }
    plain.mark(bytes, at: all, &hidden)
    // Base64 may be broken into lines, and URLs have two other characters in it.
    let words = all.filter { bytes[$0] > 0x20 }
    guard words.count >= Forms.shortest else { return hidden }
    var found: [Bool]?
    encoded.mark(bytes, at: words, &found)
    guard var found else { return hidden }
    var index = 0
    while index < bytes.count {
      var end = index
      var isHit = false
      while end < bytes.count, Self.isBase64(bytes[end]) {
        isHit = isHit || found[end]
        end += 1
      }
      if isHit { for place in index..<end { found[place] = true } }
      index = end + 1
    }
    guard let plainly = hidden else { return found }
    return zip(plainly, found).map { $0 || $1 }
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="):
      true
    default: false
    }
  }
}

/// Byte strings that are looked for all at once, by any eight bytes of theirs in a row.
private struct Forms: Sendable {
  static let window = 8
  static let shortest = 3

  /// Every eight bytes in a row.
  private var windows: Set<UInt64> = []
  /// Those that have fewer, by their length.
  private var short: [Int: Set<UInt64>] = [:]

  var isEmpty: Bool { windows.isEmpty && short.isEmpty }

  mutating func insert(_ form: [UInt8]) {
    guard form.count >= Self.shortest else { return }
    if form.count < Self.window {
      short[form.count, default: []].insert(form.reduce(0) { $0 << 8 | UInt64(Self.folded($1)) })
      return
    }
    var value: UInt64 = 0
    for (index, byte) in form.enumerated() {
      value = value << 8 | UInt64(Self.folded(byte))
      if index >= Self.window - 1 { windows.insert(value) }
    }
  }

  mutating func formUnion(_ other: Forms) {
    windows.formUnion(other.windows)
    short.merge(other.short) { $0.union($1) }
  }

  /// Base64's two spellings count as one; so what else has these characters is hidden in both forms, too.
  private static func folded(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: byte
    }
  }

  /// Marks what was found in the bytes at these places, read as one run of bytes.
  func mark(_ bytes: UnsafeRawBufferPointer, at places: [Int], _ hidden: inout [Bool]?) {
    guard !isEmpty else { return }
    var value: UInt64 = 0
    for (index, place) in places.enumerated() {
      value = value << 8 | UInt64(Self.folded(bytes[place]))
      if index >= Self.window - 1, windows.contains(value) {
        hide(places[(index + 1 - Self.window)...index], bytes.count, &hidden)
      }
      for (length, forms) in short where index >= length - 1 {
        if forms.contains(value & (1 << (8 * UInt64(length)) - 1)) {
          hide(places[(index + 1 - length)...index], bytes.count, &hidden)
        }
      }
    }
  }

  private func hide(_ places: ArraySlice<Int>, _ count: Int, _ hidden: inout [Bool]?) {
    guard let first = places.first, let last = places.last else { return }
    var all = hidden ?? [Bool](repeating: false, count: count)
    hidden = nil
    for place in first...last { all[place] = true }
    hidden = all
  }
}
