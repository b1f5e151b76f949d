import MailCore

/// A server's reply, all its lines together (RFC 5321 §4.2).
package struct Reply: Sendable, Hashable {
  /// 200 to 599.
  package let code: Int
  /// `5.7.1`, where the text begins with one of the code's class (RFC 2034).
  package let enhanced: EnhancedStatus?
  /// What follows code and enhanced status, a string a line; as it came, any bytes made UTF-8.
  package let lines: [String]

  package init(code: Int, enhanced: EnhancedStatus? = nil, lines: [String] = [""]) {
    self.code = code
    self.enhanced = enhanced
    self.lines = lines
  }

  package var isPositive: Bool { code / 100 == 2 }
  /// 354 and 334: the server waits for more.
  package var isIntermediate: Bool { code / 100 == 3 }
  /// 4yz: may work later.
  package var isDeferral: Bool { code / 100 == 4 }
  /// 5yz: will not.
  package var isRefusal: Bool { code / 100 == 5 }
  /// 421: the server ends the session; it may come at any time.
  package var endsSession: Bool { code == 421 }

  /// For people and records: `550 5.1.1 No such user`, at most 500 characters, controls visible.
  package var words: String {
    let status = enhanced.map { "\($0) " } ?? ""
    let text = lines.filter { !$0.isEmpty }.joined(separator: " ")
    return String("\(code) \(status)\(text)".prefix(500)).visible
  }
}

/// RFC 3463: class.subject.detail.
package struct EnhancedStatus: Sendable, Hashable, CustomStringConvertible {
  package let kind: Int
  package let subject: Int
  package let detail: Int

  package init(_ kind: Int, _ subject: Int, _ detail: Int) {
    self.kind = kind
    self.subject = subject
    self.detail = detail
  }

  package var description: String { "\(kind).\(subject).\(detail)" }

  // status-code = ("2" / "4" / "5") "." 1*3DIGIT "." 1*3DIGIT, RFC 3463 §2
  init?(_ word: some StringProtocol) {
    let parts = word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ (1...3).contains($0.count) }) else { return nil }
    let numbers = parts.compactMap { part -> Int? in
      part.reduce(into: Int?.some(0)) { value, byte in
        guard let so = value, (48...57).contains(byte) else {
          value = nil
          return
        }
        value = so * 10 + Int(byte) - 48
      }
    }
    guard numbers.count == 3, [2, 4, 5].contains(numbers[0]) else { return nil }
    self.init(numbers[0], numbers[1], numbers[2])
  }
}

package enum ReplyError: Error, Equatable, Sendable {
  /// No reply line: what stands there instead, shortened.
  case malformed(String)
  /// More bytes or lines than any reply may have.
  case tooLong
}

extension Reply {
  /// 452 or, in its old spelling, 552 at RCPT (RFC 5321 §4.5.3.1.10), or x.5.3 of RFC 3463: the
  /// transaction is full. Another enhanced code says that it is something else: a full mailbox, say.
  var meansTooManyRecipients: Bool {
    guard let enhanced else { return code == 452 || code == 552 }
    return enhanced.subject == 5 && enhanced.detail == 3
  }
}
