import Foundation
import Ledger
import MailCore
import Maildir
import State

/// A message as an account's state knew it at some moment.
package struct AgreedMessage: Codable, Sendable, Equatable {
  /// Below the root.
  var folder: String
  var uidValidity: UInt32
  var uid: UInt32
  /// The base name of its file.
  var name: Data
  var marks: FileMarks
  var contentHash: ContentHash
  var identity: String?

  fileprivate init(_ record: MessageRecord, in folder: String, _ uidValidity: UInt32) {
    self.folder = folder
    self.uidValidity = uidValidity
    uid = record.uid.rawValue
    name = Data(record.name)
    marks = FileMarks(flags: record.agreed.flags, keywords: record.agreed.keywords)
    contentHash = record.contentHash
    identity = record.identity
  }

  func isAt(_ other: AgreedMessage) -> Bool {
    (folder, uidValidity, uid) == (other.folder, other.uidValidity, other.uid)
  }
}

/// An account's state, as far as steps ask it.
final class AgreedState {
  private let store: StateStore
  private let mailboxes: [(path: String, id: MailboxKey, record: MailboxRecord)]
  /// By ``key(_:)``.
  private var known: [[UInt8]: [AgreedMessage]] = [:]

  /// Nil where the account was never pulled.
  init?(_ account: String, _ tree: SortingTree) throws {
    guard let store = try tree.state(of: account) else { return nil }
    self.store = store
    mailboxes = try store.mailboxes().compactMap { record in
      guard !record.isGone else { return nil }
      return (record.path(account), record.id, record)
    }
  }

  deinit { store.shut() }

  /// The name before any rewrite, without the UIDs of other tools: a move takes these out.
  private static func key(_ base: [UInt8]) -> [UInt8] {
    var key = base
    if base.contains(UInt8(ascii: "~")) { key = RewrittenName.original(of: key) }
    if base.contains(UInt8(ascii: ",")) { key = NameHints.withoutForeignUID(base: key) ?? key }
    return key
  }

  /// Reads what is known of files of these names.
  func learn(_ bases: [[UInt8]]) throws {
    let names = Set(bases.map(Self.key)).subtracting(known.keys)
    guard !names.isEmpty else { return }
    for (path, id, mailbox) in mailboxes {
      var uids: [UID] = []
      try store.forEachName(in: id) { uid, name in
        if let uid, names.contains(Self.key(Array(name))) { uids.append(uid) }
      }
      for record in try store.messages(in: id, UIDSet(uids.sorted())) where record.isHere {
        known[Self.key(record.name), default: []]
          .append(AgreedMessage(record, in: path, mailbox.uidValidity))
      }
    }
  }

  /// The message of a file that lies in this folder.
  func message(_ base: [UInt8], in folder: String) -> AgreedMessage? {
    let all = messages(base, in: folder)
    return all.first { $0.name == Data(base) } ?? all.first
  }

  /// All messages whose files had this name there before any rewrite.
  func messages(_ base: [UInt8], in folder: String) -> [AgreedMessage] {
    messages(base).filter { $0.folder == folder }
  }

  /// The same, of all folders.
  func messages(_ base: [UInt8]) -> [AgreedMessage] { known[Self.key(base)] ?? [] }

  /// The same, or where no push moved it on yet, the one in the folder that it came from.
  func message(_ base: [UInt8], nowIn folder: String) -> AgreedMessage? {
    let all = messages(base)
    return message(base, in: folder) ?? (all.count == 1 ? all.first : nil)
  }

  enum Fate {
    case here(AgreedMessage)
    case gone
    /// Its mailbox is gone, or numbered anew.
    case unknown
  }

  /// What became of a message where it was.
  func fate(of message: AgreedMessage) throws -> Fate {
    guard let mailbox = mailboxes.first(where: { $0.path == message.folder }),
      mailbox.record.uidValidity == message.uidValidity
    else { return .unknown }
    guard let record = try store.message(in: mailbox.id, UID(message.uid)), record.isHere
    else { return .gone }
    return .here(AgreedMessage(record, in: mailbox.path, message.uidValidity))
  }

  /// Whether a pull is to look through the mailbox of this message, and may bring it.
  func awaits(_ message: AgreedMessage) -> Bool {
    mailboxes.contains { $0.path == message.folder && $0.record.isDirty }
  }

  /// What the next message of each folder would have for its UID.
  var nextUIDs: [String: UInt32] {
    Dictionary(mailboxes.map { ($0.path, $0.record.uidNext) }) { max($0, $1) }
  }

  /// The same message where it arrived since: another client moved it.
  func arrivals(of message: AgreedMessage, since nextUIDs: [String: UInt32]) throws
    -> [AgreedMessage]
  {
    var found: [AgreedMessage] = []
    for (path, id, mailbox) in mailboxes {
      let first = nextUIDs[path] ?? 1
      var uids: [UID] = []
      if message.contentHash != .unknown {
        uids = try store.contents(in: id, among: [message.contentHash]).values.flatMap { $0 }
      }
      if let identity = message.identity {
        // A server may give one identity to different messages.
        uids += try store.copies(of: identity).filter { copy in
          copy.mailbox == id
            && (copy.message.contentHash == .unknown || message.contentHash == .unknown)
        }.map(\.message.uid)
      }
      let new = Set(uids).filter { $0.rawValue >= first }.sorted()
      found += try store.messages(in: id, UIDSet(new)).filter(\.isHere)
        .map { AgreedMessage($0, in: path, mailbox.uidValidity) }
    }
    return found
  }
}

extension MessageRecord {
  fileprivate var isHere: Bool {
    !name.isEmpty && traits.isDisjoint(with: [.pruned, .expunged, .leaving])
  }
}
