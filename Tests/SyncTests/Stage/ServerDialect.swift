import Foundation
import MailTestKit

/// How a model server speaks; `Sync` calls its way of moving and deleting so.
typealias ServerDialect = Dialect

/// Servers that differ in what a run has to do itself.
enum Speaking: String, CaseIterable {
  /// Everything: MOVE, QRESYNC, MAILBOXID, EMAILID.
  case modern
  /// No MOVE: messages are copied, and their sources expunged. No CONDSTORE: flags are asked for each time.
  case copying
  /// Nothing beyond RFC 3501: it does not tell where a copy or a new message lies, and expunges no single message.
  case bare

  /// With which every crash and every refusal is tried: each takes seconds.
  static let swept: [Speaking] =
    ProcessInfo.processInfo.environment["MIRROR_TEST_LONG"] == nil ? [.modern] : allCases

  var dialect: ServerDialect {
    switch self {
    case .modern: .modern
    case .copying: Dialect(capabilities: ["UIDPLUS"])
    case .bare: .bare
    }
  }
}
