import MailCore

/// `%41` and its like (RFC 3986 §2.1), in what is text then.
package enum PercentEncoding {
  package static func decode(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: Hex.percentDecoded(bytes), as: UTF8.self)
  }
}
