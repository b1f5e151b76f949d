import MailCore

/// A host's name in both of its forms.
package struct HostName: Sendable, Equatable {
  /// Labels of letters, digits and hyphens only: `xn--…`.
  package let ascii: String
  /// As a person writes it.
  package let unicode: String

  /// From either form.
  package init(_ name: String) {
    let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    ascii = labels.map { label in
      label.utf8.allSatisfy { $0 < 0x80 }
        ? String(label) : Punycode.encode(label.unicodeScalars).map { "xn--" + $0 } ?? String(label)
    }.joined(separator: ".")
    unicode = labels.map { label in
      guard label.hasPrefix("xn--"), let scalars = Punycode.decode(label.dropFirst(4)) else {
        return String(label)
      }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return String(text)
    }.joined(separator: ".")
  }

  package var isInternational: Bool { ascii != unicode }

  /// Whether a label has characters of scripts that no language mixes.
  package var mixesScripts: Bool {
    guard isInternational else { return false }
    return unicode.split(separator: ".").contains { label in
      var latin = false
      var other = false
      for scalar in label.unicodeScalars {
        switch scalar.value {
        case 0x61...0x7A, 0xE0...0x24F: latin = true
        case 0x370...0x58F, 0x10A0...0x10FF, 0x13A0...0x13FF: other = true
        default: break
        }
      }
      return latin && other
    }
  }
}
