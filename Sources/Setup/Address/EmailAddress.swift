import Foundation
import MailCore

/// A person's address, cut at its last `@`, with the domain as DNS spells it.
package struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
  package let local: String
  /// As it was typed, in lower case: `bücher.example`.
  package let domain: String
  /// In A-labels (RFC 5890): `xn--bcher-kva.example`.
  package let asciiDomain: String

  package var description: String { "\(local)@\(domain)" }
  /// With the domain in A-labels, for servers and URLs that know no other.
  package var ascii: String { "\(local)@\(asciiDomain)" }

  package enum Mistake: Error, Equatable, Sendable {
    case noDomain, noLocalPart, badLocalPart
    case badDomain(String)

    /// A sentence for the person who typed it.
    package var words: String {
      switch self {
      case .noDomain: "An address has a domain behind its @, as in alice@example.org."
      case .noLocalPart: "An address has a name before its @, as in alice@example.org."
      case .badLocalPart: "The part before the @ holds a blank, a quote, or a control character."
      case .badDomain(let domain): "“\(domain)” cannot be a domain."
      }
    }
  }

  package init(_ text: String) throws(Mistake) {
    let text = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
    guard let at = text.lastIndex(of: "@") else { throw .noDomain }
    let local = String(text[..<at])
    guard !local.isEmpty else { throw .noLocalPart }
    let isClean = local.unicodeScalars.allSatisfy {
      $0.value > 0x20 && $0.value != 0x7F && !"\"<>(),:;@[\\]".unicodeScalars.contains($0)
        && !$0.properties.isWhitespace
    }
    guard isClean, local.utf8.count <= 64 else { throw .badLocalPart }
    let typed = String(text[text.index(after: at)...])
    guard !typed.isEmpty else { throw .noDomain }
    guard let domain = DomainName(typed) else { throw .badDomain(typed) }
    // A name without a dot is a machine of one's own, such as localhost.
    self.local = local
    self.domain = domain.unicode
    asciiDomain = domain.ascii
  }
}

/// A DNS name of letters, digits and hyphens, in both spellings.
package struct DomainName: Sendable, Hashable {
  package let unicode: String
  package let ascii: String

  /// Nil where it is none: an empty or overlong label, a blank, a character that a host name cannot have.
  package init?(_ text: String) {
    let folded = text.precomposedStringWithCompatibilityMapping.lowercased()
      .precomposedStringWithCanonicalMapping
    var name = folded.replacing("\u{3002}", with: ".")[...]  // the ideographic full stop
    if name.hasSuffix(".") { name = name.dropLast() }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    var encoded: [String] = []
    for label in labels {
      guard let ascii = Self.encoded(label) else { return nil }
      encoded.append(ascii)
    }
    unicode = String(name)
    ascii = encoded.joined(separator: ".")
    guard !ascii.isEmpty, ascii.utf8.count <= 253 else { return nil }
  }

  /// `host` may be named in a configuration or a question: a host name, or an address.
  package static func isHost(_ host: String) -> Bool {
    if host.utf8.contains(UInt8(ascii: ":")) {
      return host.utf8.count <= 45
        && host.utf8.allSatisfy { "0123456789abcdefABCDEF:.".utf8.contains($0) }
    }
    return DomainName(host)?.ascii == host.lowercased()
  }

  private static func encoded(_ label: Substring) -> String? {
    guard !label.isEmpty, label.first != "-", label.last != "-" else { return nil }
    let isPlain = label.utf8.allSatisfy { $0 < 0x80 }
    if isPlain {
      let isHostLabel = label.utf8.allSatisfy {
        ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D || $0 == 0x5F
      }
      return isHostLabel && label.utf8.count <= 63 ? String(label) : nil
    }
    let isWord = label.unicodeScalars.allSatisfy {
      $0 == "-" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        || $0.properties.generalCategory == .nonspacingMark
        || $0.properties.generalCategory == .spacingMark
    }
    guard isWord, label.utf8.count <= 200, let code = Punycode.encode(label.unicodeScalars) else {
      return nil
    }
    let ascii = "xn--" + code
    return ascii.utf8.count <= 63 ? ascii : nil
  }
}
