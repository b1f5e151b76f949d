import Foundation
import MailCore

extension MailboxName {
  /// The name as people read it, in Unicode NFC: of two mailboxes that the server spells differently it may be both's.
  package var reading: MailboxName {
    // ASCII has one spelling.
    if text.utf8.allSatisfy({ $0 < 0x80 }), !isSpelled { return self }
    return MailboxName(plain.precomposedStringWithCanonicalMapping, delimiter: delimiter)
  }
}
