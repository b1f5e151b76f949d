import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// What lies below the tree's root and outside of this account, as far as it concerns messages of which parts are missing:
/// a person may have moved such a file to another account, or to a Maildir that is no account's.
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

  // MARK: Files

  /// Looks for what may be left of these messages. What another account has on record is its own message, and no part.
  func find(_ stubs: [MessageRecord], _ own: StateStore) throws -> PartsBeside {
    var found = PartsBeside()
    let headers = try headers(own)
    let beside = MailBeside.read(root: root, outside: account)
    found.unread = beside.unread
    for (account, places) in Dictionary(grouping: beside.places, by: \.top) {
      let known = names(ofAccount: account, &found)
      for place in places {
        let isRead = place.forEachFile { name, read throws(MaildirError) in
          if known.contains(MessageFile(subdirectory: .cur, name: name).baseHash) { return }
          if var part = try part(of: stubs, headers, read) {
            part.place = place.path + "/" + String(decoding: name, as: UTF8.self)
            found.parts.append(part)
          }
        }
        if !isRead { found.unread.append(place.path) }
      }
    }
    found.unread += absentAccounts(besides: Set(beside.places.map(\.top)))
    found.parts.sort { $0.place < $1.place }
    found.unread = Set(found.unread).sorted()
    return found
  }

  private func part(
    of stubs: [MessageRecord], _ headers: Set<UInt64>,
    _ read: (Int) throws(MaildirError) -> [UInt8]
  ) throws(MaildirError) -> PartLeft? {
    let head = try read(Self.longestHeader)
    let begun = PartLeft(head, policy: policy)
    // Without a stub's line, or a part's near the beginning, only the header tells whether more of it has to be read.
    let headerHash = begun?.headerHash ?? policy.headerHash(of: head)
    guard begun != nil || stubs.contains(where: { $0.headerHash == headerHash }) else { return nil }
    var part = begun
    if begun?.size == nil { part = PartLeft(try read(Self.longestStub), policy: policy) }
    part?.isOfKnownHeader = headers.contains(headerHash)
    return part.flatMap { part in stubs.contains(where: part.stands) ? part : nil }
  }

  /// Of files that are messages of that account's server; none of a Maildir that is no account's.
  private func names(ofAccount account: String, _ found: inout PartsBeside) -> Set<UInt64> {
    var names: Set<UInt64> = []
    guard let state = state(ofAccount: account) else { return names }
    defer { state.shut() }
    do {
      let tree = try AccountTree.openExisting(path: root + "/" + account)
      for mailbox in try state.mailboxes() {
        guard let id = mailbox.id, !mailbox.isGone, try state.holdsFiles(id) else { continue }
        try state.forEachMessage(in: id) { record in
          guard !record.isPruned, !record.traits.contains(.expunged) else { return }
          names.insert(XXH3.hash(record.name))
        }
        let folder = try mailbox.folderPath()
        if try tree.mayBeAway(folder) { found.unread.append(account + "/" + folder.text) }
      }
    } catch {
      // What is not on record counts.
    }
    return names
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

  private func state(ofAccount account: String) -> StateStore? {
    let path = root + "/" + account + "/.mirror/state.db"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try? StateStore(path: path, durable: false, readOnly: true)
  }

  // MARK: Records

  /// Finds out which new files that seem to lack parts do. A sender, too, may have written the words that are in the
  /// place of a part: a file is whole if it is a message that some account has whole, or if no account has a message that it
  /// may be left of.
  func judge(_ files: inout [UnknownFile], _ own: StateStore) throws {
    let parts = files.indices.filter { files[$0].part != nil }
    guard !parts.isEmpty else { return }
    let headers = try headers(own)
    for place in parts {
      guard var part = files[place].part else { continue }
      part.isOfKnownHeader = headers.contains(part.headerHash)
      files[place].part = part
    }
    let doubtful = parts.filter { files[$0].part?.isCertain == false }
    guard !doubtful.isEmpty else { return }
    var whole: Set<Int> = []
    var leftOver: Set<Int> = []
    func look(into state: StateStore) throws {
      for mailbox in try state.mailboxes() {
        guard let id = mailbox.id else { continue }
        try state.forEachMessage(in: id) { record in
          guard !record.isPruned else { return }
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
      }
    }
    try look(into: own)
    let accounts = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    for name in Set(accounts + otherAccounts) where name != account {
      do {
        guard let state = state(ofAccount: name) else { continue }
        defer { state.shut() }
        try look(into: state)
      } catch {
        leftOver.formUnion(doubtful)
      }
    }
    for place in doubtful where whole.contains(place) || !leftOver.contains(place) {
      files[place].part = nil
    }
  }
}

extension PartLeft {
  /// Whether a message of which parts are missing, or were, may be the one.
  fileprivate func isLeft(of record: MessageRecord) -> Bool {
    record.hasBeenStub && stands(for: record)
  }
}
