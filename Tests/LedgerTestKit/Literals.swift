import Ledger
import MailCore

// In tests an identifier may be a plain number.

extension MailboxKey: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self.init(value) }
}

extension HeaderHash: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt64) { self.init(value) }
}

extension ContentHash: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt64) { self.init(value) }
}

extension NameHash: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt64) { self.init(value) }
}
