/// Where a domain's description may lie, each by HTTPS.
package enum AutoconfigAddresses {
  /// Thunderbird's database of providers.
  package static let publicDatabase = "https://autoconfig.thunderbird.net/v1.1/"

  /// The domain's own, the usual one first. The address goes along, as the format wants: some domains tell each user
  /// another server.
  package static func own(_ address: EmailAddress) -> [String] {
    let query = escaped(address.ascii)
    return [
      "https://autoconfig.\(address.asciiDomain)/mail/config-v1.1.xml?emailaddress=\(query)",
      "https://\(address.asciiDomain)/.well-known/autoconfig/mail/config-v1.1.xml"
        + "?emailaddress=\(query)",
    ]
  }

  /// In a database of the ISPDB's form: its base, then the domain alone.
  package static func database(_ base: String, domain: String) -> String {
    (base.hasSuffix("/") ? base : base + "/") + domain
  }

  /// RFC 3986 §2.3: everything but the unreserved characters.
  static func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (byte < 16 ? "0" : "") + digits
      }
    }
    return result
  }
}
