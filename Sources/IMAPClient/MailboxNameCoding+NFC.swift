import Foundation
import IMAPWire

extension MailboxNameCoding {
  /// Names in Unicode NFC, as ``MailCore/MailboxName`` wants them.
  package static let nfc = MailboxNameCoding(normalise: { $0.precomposedStringWithCanonicalMapping }
  )
}
