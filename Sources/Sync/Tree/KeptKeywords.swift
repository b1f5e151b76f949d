import Ledger
import Maildir
import State
import SyncPlan

extension KeywordsStore {
  /// - Throws: ``PushError/keywordsKeptOtherwise(_:)`` where the files carry their keywords in another way: every keyword
  ///   would seem to be taken away.
  func checkKept(in state: StateStore) throws {
    if let before = try state.account().keywords, before != "none", keeps, before != text {
      throw PushError.keywordsKeptOtherwise(before)
    }
  }

  /// What was kept first counts; where none were kept, nothing is there that a change could spoil.
  func remember(in state: StateStore) throws {
    let before = try state.account().keywords
    if before == nil || before == "none" && keeps { try state.changeAccount { $0.keywords = text } }
  }

  /// For comparing one run's with another's.
  private var text: String {
    switch self {
    case .header: "header"
    case .dovecot: "dovecot"
    case .none: "none"
    }
  }
}
