import MailCore

/// A file that is kept, and never sent to the server: it repeats a message of its own folder (promise 6), or, in a tree that
/// was adopted, the server has moved the message that it was to another mailbox, or may only not show it.
package struct SurplusFile: Sendable, Hashable {
  /// XXH3-64 of the file's base name.
  package let nameHash: NameHash
  /// Of the message that it repeats, as in its record; 0 where the file could not be read.
  package let contentHash: ContentHash

  package init(nameHash: NameHash, contentHash: ContentHash) {
    self.nameHash = nameHash
    self.contentHash = contentHash
  }
}

/// A file that may be surplus, because the server may have its message in another mailbox: it is not sent until every mailbox
/// was looked into, and counts as surplus where its message was the server's.
package struct UndecidedFile: Sendable, Hashable {
  /// What is known of the message that it may be.
  package enum Origin: Int64, Sendable {
    /// A pull brought it from where its name tells, and the server must have it there no longer.
    case elsewhere = 0
    /// The server had it in the mailbox whose folder the file lay in, and has it there no longer.
    case here = 1
    /// No pull gave the file its name: it is most likely new.
    case unknown = 2
  }

  package let file: SurplusFile
  package let origin: Origin

  package init(_ file: SurplusFile, _ origin: Origin) {
    self.file = file
    self.origin = origin
  }
}

/// What became of a mailbox's undecided files, apart from those that are new messages.
package struct SurplusDecision: Sendable {
  /// The server has their messages in other mailboxes.
  package var surplus: [SurplusFile] = []
  /// The server shows no messages as old as these.
  package var outOfView: [SurplusFile] = []
  /// The message that they may be could not be fetched: they stay undecided.
  package var waiting: [UndecidedFile] = []

  package init() {}
}
