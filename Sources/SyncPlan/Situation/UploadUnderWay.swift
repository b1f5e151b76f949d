import Ledger
import MailCore

/// A new message that an interrupted push sent, and of which nobody knows whether it arrived.
package struct UploadUnderWay: Sendable {
  package var mailbox: MailboxKey
  package var name: [UInt8]
  package var contentHash: ContentHash

  package init(mailbox: MailboxKey, name: [UInt8], contentHash: ContentHash) {
    self.mailbox = mailbox
    self.name = name
    self.contentHash = contentHash
  }
}
