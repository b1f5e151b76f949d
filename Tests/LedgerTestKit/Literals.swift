import Ledger

// In tests an identifier may be a plain number.

extension MailboxKey: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self.init(value) }
}
