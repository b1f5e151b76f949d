import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// What lies below the tree's root and outside of this account, as far as it concerns messages of which parts are missing,
/// or seem to be: a person may have moved such a file to another account, or to a Maildir that is no account's.
struct PartsElsewhere {
  let tree: AccountTree
  let policy: MaildirPolicy
  /// Names of those that the configuration has.
  let otherAccounts: [String]
  let environment: [String: String]

  private static let longestHeader = 32 << 10
  /// No stub is longer.
  private static let longestStub = 16 << 20

  private var root: String { (tree.path as NSString).deletingLastPathComponent }
  private var account: String { (tree.path as NSString).lastPathComponent }
  private var states: AccountStates {
    AccountStates(root: root, account: account, others: otherAccounts)
  }

  // MARK: Files

  /// Looks for what may be these messages, or be left of them. What another account has on record is its own message, and
  /// no part.
  func find(_ messages: [MessageRecord], _ own: StateStore) throws -> UnsentParts {
    var found = UnsentParts()
    let headers = try headers(own)
    func isWhole(_ message: MessageRecord) -> Bool { !message.isStub && message.contentHash != 0 }
    let contents = Set(messages.filter(isWhole).map(\.contentHash))
    let beside = MailBeside.read(root: root, outside: account)
    found.unread = beside.unread
    // Of messages that only look like stubs: whether their account would send these is still to be found out.
    var alike: [PartLeft] = []
    for (account, places) in Dictionary(grouping: beside.places, by: \.top) {
      let known = known(to: account, of: contents, &found)
      let isAccount = known != nil || otherAccounts.contains(account)
      // Of what that account's server has whole, too, a part there is no loss.
      let messages = messages.filter { message in
        !isWhole(message) || known?.contents.contains(message.contentHash) != true
      }
      for place in places {
        let isRead = place.forEachFile { file throws(MaildirError) in
          let name = MessageFile(subdirectory: .cur, name: file.name).baseHash
          if known?.names.contains(name) == true { return }
          guard var part = try part(of: messages, headers, file) else { return }
          part.place = place.path + "/" + String(decoding: file.name, as: UTF8.self)
          if messages.contains(where: { !$0.isOnlyLikeStub && part.stands(for: $0) }) {
            found.parts.append(part)
          } else if isAccount {
            alike.append(part)
          }
        }
        if !isRead { found.unread.append(place.path) }
      }
    }
    found.parts += try unsent(among: alike, own)
    found.unread += absentAccounts(besides: Set(beside.places.map(\.top)))
    found.parts.sort { $0.place < $1.place }
    found.unread = Set(found.unread).sorted()
    return found
  }

  private func part(
    of messages: [MessageRecord], _ headers: Set<UInt64>, _ file: MailBeside.File
  ) throws(MaildirError) -> PartLeft? {
    let head = try file.head(Self.longestHeader)
    let begun = PartLeft(head.bytes, fileSize: head.fileSize, policy: policy)
    // Without a stub's line, or a part's near the beginning, only the header tells whether more of it has to be read.
    let headerHash = begun?.headerHash ?? policy.headerHash(of: head.bytes)
    guard begun != nil || messages.contains(where: { $0.headerHash == headerHash }) else {
      return nil
    }
    var part = begun
    if begun?.size == nil { part = PartLeft(try file.head(Self.longestStub).bytes, policy: policy) }
    part?.isOfKnownHeader = headers.contains(headerHash)
    return part.flatMap { part in messages.contains(where: part.stands) ? part : nil }
  }

  /// What an account has on record: its own messages.
  private struct Known {
    /// Hashes of their files' names.
    var names: Set<UInt64> = []
    /// Of those that are whole.
    var contents: Set<UInt64> = []
  }

  /// Nil of a Maildir that is no account's.
  private func known(
    to account: String, of contents: Set<UInt64>, _ found: inout UnsentParts
  ) -> Known? {
    guard let state = states.state(of: account) else { return nil }
    var known = Known()
    defer { state.shut() }
    do {
      let tree = try AccountTree.openExisting(path: root + "/" + account)
      for mailbox in try state.mailboxes() {
        guard let id = mailbox.id, !mailbox.isGone, try state.holdsFiles(id) else { continue }
        try state.forEachMessage(in: id) { record in
          guard !record.isPruned, !record.traits.contains(.expunged) else { return }
          known.names.insert(XXH3.hash(record.name))
          if !record.isStub, contents.contains(record.contentHash) {
            known.contents.insert(record.contentHash)
          }
        }
        let folder = try mailbox.folderPath()
        if try tree.mayBeAway(folder) { found.unread.append(account + "/" + folder.text) }
      }
    } catch {
      // What is not on record counts.
    }
    return known
  }

  /// Those whose directory, or disk, is not there at present.
  private func absentAccounts(besides present: Set<String>) -> [String] {
    otherAccounts.filter { name in
      let path = root + "/" + name
      return name != account && !present.contains(name)
        && !FileManager.default.fileExists(atPath: path + "/.mirror/state.db")
        && TreeWitness(accountPath: path, environment: environment).knowsRuns
    }
  }

  /// Of messages of which parts are missing, or were.
  private func headers(_ own: StateStore) throws -> Set<UInt64> {
    Set(try own.onDemand([.stub, .filled, .leavingParts]).map(\.message.headerHash))
  }

  // MARK: Records

  /// Finds out which new files that seem to lack parts do. Words of a stub may be a sender's: a file that a program on this
  /// side did not certainly make is whole if it is a message that some account has whole, or if no account has a message
  /// that it may be left of; one that a program may have made, if both are so.
  func judge(_ files: inout [UnknownFile], _ own: StateStore) throws {
    let parts = files.indices.filter { files[$0].part != nil }
    guard !parts.isEmpty else { return }
    let headers = try headers(own)
    for place in parts {
      guard var part = files[place].part else { continue }
      part.isOfKnownHeader = headers.contains(part.headerHash)
      files[place].part = part
    }
    // With a stub's line on top it is one for every program.
    let doubtful = parts.filter { !files[$0].digest.isStub }
    guard !doubtful.isEmpty else { return }
    var whole: Set<Int> = []
    var leftOver: Set<Int> = []
    let areAllRead = try states.forEachMessage(own) { _, record in
      for place in doubtful {
        let file = files[place]
        if !record.isStub, record.contentHash != 0,
          record.contentHash == file.digest.contentHash
        {
          whole.insert(place)
        } else if file.part?.isLeft(of: record) == true {
          leftOver.insert(place)
        }
      }
    }
    if !areAllRead { leftOver.formUnion(doubtful) }
    for place in doubtful {
      let isCertain = files[place].part?.isCertain == true
      let isWhole = whole.contains(place)
      let isLeftOver = leftOver.contains(place)
      if isCertain ? isWhole && !isLeftOver : isWhole || !isLeftOver { files[place].part = nil }
    }
  }

  /// Those that their account sends only as long as a ledger knows that they are whole, or not at all.
  private func unsent(among parts: [PartLeft], _ own: StateStore) throws -> [PartLeft] {
    guard !parts.isEmpty else { return [] }
    var parts = parts
    var leftOver: Set<Int> = []
    let areAllRead = try states.forEachMessage(own) { _, record in
      for (place, part) in parts.enumerated() {
        if part.isLeft(of: record) { leftOver.insert(place) }
        if part.headerHash != 0, part.headerHash == record.headerHash {
          parts[place].isOfKnownHeader = true
        }
      }
    }
    return parts.enumerated().filter { place, part in
      part.isCertain || !areAllRead || leftOver.contains(place)
    }.map(\.element)
  }
}

extension PartLeft {
  /// Whether a message of which parts are missing, or were, may be the one.
  fileprivate func isLeft(of record: MessageRecord) -> Bool {
    record.hasBeenStub && stands(for: record)
  }
}
