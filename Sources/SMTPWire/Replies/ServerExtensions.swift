/// What a server announced in its answer to EHLO (RFC 5321 §4.1.1.1).
package struct ServerExtensions: Sendable, Hashable {
  package var startTLS = false
  package var pipelining = false
  package var eightBit = false
  package var utf8 = false
  package var chunking = false
  package var dsn = false
  package var enhancedStatus = false
  /// SIZE is announced; `maximumSize` is nil where it names no limit (RFC 1870).
  package var hasSize = false
  package var maximumSize: UInt64?
  /// As spelled.
  package var mechanisms: [String] = []
  /// LIMITS (RFC 9422): recipients a transaction, transactions a session.
  package var maximumRecipients: Int?
  package var maximumMessages: Int?

  package init() {}

  /// From the reply's lines; the first is the server's greeting.
  package init(_ reply: Reply) {
    for line in reply.lines.dropFirst() {
      var words = line.split { $0 == " " || $0 == "\t" }[...]
      guard let first = words.popFirst() else { continue }
      let keyword = first.uppercased()
      if keyword.hasPrefix("AUTH=") {
        // The form of before RFC 2554; some servers send both.
        addMechanisms(first.dropFirst(5).split(separator: ",") + words)
        continue
      }
      note(keyword, words)
    }
  }

  private mutating func note(_ keyword: String, _ words: ArraySlice<Substring>) {
    switch keyword {
    case "STARTTLS": startTLS = true
    case "PIPELINING": pipelining = true
    case "8BITMIME": eightBit = true
    case "SMTPUTF8": utf8 = true
    case "CHUNKING": chunking = true
    case "DSN": dsn = true
    case "ENHANCEDSTATUSCODES": enhancedStatus = true
    case "SIZE":
      hasSize = true
      maximumSize = words.first.flatMap { UInt64($0) }.flatMap { $0 == 0 ? nil : $0 }
    case "AUTH": addMechanisms(words)
    case "LIMITS": noteLimits(words)
    default: break
    }
  }

  private mutating func addMechanisms(_ words: some Sequence<Substring>) {
    for word in words where !mechanisms.contains(String(word)) && mechanisms.count < 50 {
      mechanisms.append(String(word))
    }
  }

  private mutating func noteLimits(_ words: ArraySlice<Substring>) {
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let value = Int(parts[1]), value > 0 else { continue }
      switch parts[0].uppercased() {
      case "RCPTMAX": maximumRecipients = value
      case "MAILMAX": maximumMessages = value
      default: break
      }
    }
  }
}
