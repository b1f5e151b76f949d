import MailCore
import SyncPlan

/// A connection that was lost while a mailbox was pulled: the report names it, for it may be what the server trips over.
struct CutWork: Error {
  var mailbox: String
  var cause: any Error
}

extension RunProblem {
  /// Words for any error: the typed ones bring their own.
  init(_ error: any Error, mailbox: String? = nil) {
    if let cut = error as? CutWork {
      self.init(cut.cause, mailbox: mailbox ?? cut.mailbox)
    } else if let explained = error as? any Explained {
      self.init(explained, mailbox: mailbox, uid: nil)
    } else {
      self.init(mailbox: mailbox, problem: String(describing: error))
    }
  }
}
