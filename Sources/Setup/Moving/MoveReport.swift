import MailCore

/// What became of one tree, or would.
package struct MoveReport: Sendable, Encodable {
  package enum Mode: String, Sendable, Encodable {
    /// Everything lies where it belongs.
    case inPlace = "in-place"
    case linked, copied
    /// An earlier run took it over: nothing is taken twice.
    case before
  }

  package struct Folder: Sendable, Encodable {
    package var directory: String
    package var mailbox: String
    package var messages = 0
    /// Taken now: hard links, or copies.
    package var taken = 0
    /// Here already.
    package var present = 0
  }

  package var account: String
  /// The tree that was taken over.
  package var source: String
  /// The account's directory.
  package var target: String
  package var mode: Mode
  package var isDryRun: Bool
  package var folders: [Folder] = []
  package var leftOut: [MovePlan.LeftOut] = []

  package var messages: Int { folders.reduce(0) { $0 + $1.messages } }
  package var taken: Int { folders.reduce(0) { $0 + $1.taken } }
  package var present: Int { folders.reduce(0) { $0 + $1.present } }

  package var exitStatus: ExitStatus {
    leftOut.contains(where: \.isProblem) ? .inPart : .done
  }

  private enum CodingKeys: String, CodingKey {
    case account, source, target, mode, folders, messages, taken, present, leftOut
    case isDryRun = "dryRun"
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(account, forKey: .account)
    try container.encode(source, forKey: .source)
    try container.encode(target, forKey: .target)
    try container.encode(mode, forKey: .mode)
    try container.encode(isDryRun, forKey: .isDryRun)
    try container.encode(messages, forKey: .messages)
    try container.encode(taken, forKey: .taken)
    try container.encode(present, forKey: .present)
    try container.encode(folders, forKey: .folders)
    try container.encode(leftOut, forKey: .leftOut)
  }
}
