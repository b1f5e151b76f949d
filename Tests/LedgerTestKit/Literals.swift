import Ledger
import MailCore

// In tests an identifier may be a plain number, and a folder's place a plain text.

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

extension FolderPath: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    guard let path = FolderPath(text: value) else {
      preconditionFailure("no folder can be called “\(value)”")
    }
    self = path
  }
}
