import Maildir

/// Message-ID in the header of a message.
package enum MessageIDField {
  /// What stands between the angle brackets (RFC 5322 §3.6.4).
  package static func value(in header: [UInt8]) -> String? {
    guard let text = HeaderFields.value("Message-ID", in: header),
      let open = text.firstIndex(of: UInt8(ascii: "<")),
      let close = text[open...].firstIndex(of: UInt8(ascii: ">")), close > open + 1
    else { return nil }
    return String(decoding: text[(open + 1)..<close], as: UTF8.self)
  }
}
