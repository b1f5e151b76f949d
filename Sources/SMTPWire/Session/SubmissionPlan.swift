/// One message to one set of recipients, as the machine needs to know it.
package struct SubmissionPlan: Sendable, Equatable {
  /// Nil is the null sender.
  package var sender: SubmissionAddress?
  package var recipients: [SubmissionAddress]
  /// Bytes on the wire, dot-stuffing not counted.
  package var size: UInt64
  package var hasEightBitBody: Bool
  /// Header fields with bytes above 127: SMTPUTF8, whatever the addresses are.
  package var hasUTF8Header: Bool
  /// ENVID: our queue id, so that a report names it (RFC 3461 §4.4). Letters and digits.
  package var envelopeID: String?
  /// NOTIFY's value, such as `FAILURE,DELAY`; nil leaves it to the server.
  package var notify: String?

  package init(
    sender: SubmissionAddress?, recipients: [SubmissionAddress], size: UInt64,
    hasEightBitBody: Bool = false, hasUTF8Header: Bool = false, envelopeID: String? = nil,
    notify: String? = nil
  ) {
    self.sender = sender
    self.recipients = recipients
    self.size = size
    self.hasEightBitBody = hasEightBitBody
    self.hasUTF8Header = hasUTF8Header
    self.envelopeID = envelopeID
    self.notify = notify
  }
}

/// What the server said to one recipient.
package enum RecipientAnswer: Sendable, Hashable {
  case accepted(Reply)
  case deferred(Reply)
  case refused(Reply)
  /// The server would not take this one in here: the transaction was full, or over before. Give it
  /// another.
  case notTried
}

/// What became of one transaction.
package struct SubmissionOutcome: Sendable, Equatable {
  package enum Result: Sendable, Equatable {
    /// The server has taken responsibility for all that it accepted.
    case accepted(Reply)
    /// No recipient was accepted; nothing was sent.
    case noRecipient
    /// 5yz to this command (`MAIL`, `DATA`, `the message`).
    case refused(command: String, Reply)
    /// 4yz, or 421 anywhere.
    case deferred(command: String, Reply)
    /// The connection died, or spoke no SMTP. Before the end of data left, nothing was sent.
    case lost(String)
    /// The same behind the end of data: the server may have it.
    case unknown(String)
    /// Seen before anything was sent.
    case unsuitable(Unsuitability)
  }

  package enum Unsuitability: Error, Sendable, Equatable {
    case tooLarge(limit: UInt64)
    /// The server lacks 8BITMIME: re-encode the message.
    case needsSevenBit
    /// The server lacks SMTPUTF8.
    case needsUTF8
  }

  /// One for each of the plan's, in its order.
  package var recipients: [RecipientAnswer]
  package var result: Result
  /// Whether another transaction may follow on this connection; RSET has to come first if
  /// ``needsReset``.
  package var isConnectionUsable: Bool
  package var needsReset: Bool
  /// The server has said yes to MAIL: before that, a connection that had been idle may just have timed out.
  package var wasBegun: Bool

  package init(
    recipients: [RecipientAnswer], result: Result, isConnectionUsable: Bool, needsReset: Bool,
    wasBegun: Bool = false
  ) {
    self.recipients = recipients
    self.result = result
    self.isConnectionUsable = isConnectionUsable
    self.needsReset = needsReset
    self.wasBegun = wasBegun
  }
}
