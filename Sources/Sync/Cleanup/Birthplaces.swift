import Ledger
import MailCore
import Maildir
import State

/// What became of the message of which a file's name tells.
enum FileFate {
  /// Nothing says that it is gone, or the name tells of none: the file may be a person's copy.
  case unknown
  /// It is gone from the mailbox that it was born in.
  case lost
  /// The mailbox that it was born in has other numbers now.
  case renumbered
}

/// Where pulls gave files their names.
struct Birthplaces {
  private let state: StateStore
  private let records: [BirthName.MailboxHash: MailboxRecord]
  private let failures: [FailureRecord]

  init(_ state: StateStore, _ records: [MailboxRecord], _ failures: [FailureRecord]) {
    self.state = state
    self.records = Dictionary(
      records.filter { !$0.isGone && $0.uidValidity != 0 }.map {
        (BirthName.hash(of: $0.mailboxName), $0)
      }, uniquingKeysWith: { $1 })
    self.failures = failures
  }

  func fate(of file: MessageFile) throws -> FileFate {
    guard let birth = BirthName(base: file.base), let place = records[birth.mailboxHash] else {
      return .unknown
    }
    guard place.uidValidity == birth.uidValidity.rawValue else { return .renumbered }
    guard birth.uid.rawValue < place.uidNext,
      !failures.contains(where: { $0.mailbox == place.id && $0.uid == birth.uid.rawValue }),
      try state.message(in: place.id, birth.uid) == nil
    else { return .unknown }
    return .lost
  }
}
