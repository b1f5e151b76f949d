import MailCore

/// Domain names in ASCII: `exämple.org` is `xn--exmple-cua.org` (RFC 5890, RFC 3492).
///
/// The caller gives names in Unicode NFC; letters are lowered here. That is enough for names that
/// people write, and no check of which names are registrable.
package enum IDNADomain {
  /// Nil where a label gets too long or is empty.
  package static func ascii(_ domain: some StringProtocol) -> String? {
    // IDEOGRAPHIC FULL STOP and its kin separate labels, too (RFC 3490 §3.1).
    let labels = domain.unicodeScalars.split(omittingEmptySubsequences: false) {
      [0x2E, 0x3002, 0xFF0E, 0xFF61].contains($0.value)
    }
    var names: [String] = []
    for label in labels {
      guard let name = ascii(label: String(String.UnicodeScalarView(label))), !name.isEmpty,
        name.utf8.count <= 63
      else { return nil }
      names.append(name)
    }
    let name = names.joined(separator: ".")
    return name.utf8.count <= 255 ? name : nil
  }

  private static func ascii(label: String) -> String? {
    if label.utf8.allSatisfy({ $0 < 0x80 }) { return label }
    let scalars = label.lowercased().unicodeScalars
    return scalars.count <= 63 ? Punycode.encode(scalars).map { "xn--" + $0 } : nil
  }
}
