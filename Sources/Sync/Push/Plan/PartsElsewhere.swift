import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// What lies below the tree's root and outside of this account, as far as it concerns messages that are to be deleted: a
/// person may have moved a file that has but a part of one to another account, or to a Maildir that is no account's.
struct PartsElsewhere {
  let tree: AccountTree
  let policy: MaildirPolicy
  /// Names of those that the configuration has.
  let otherAccounts: [String]
  let environment: [String: String]
  /// Whether to write down what was looked through.
  let remembers: Bool

  private var root: String { (tree.path as NSString).deletingLastPathComponent }
  private var account: String { (tree.path as NSString).lastPathComponent }
  private var states: AccountStates {
    AccountStates(root: root, account: account, others: otherAccounts)
  }

  // MARK: Files

  /// Looks for what may be these messages, or be left of them. What another account has on record is its own message, and
  /// no part.
  func find(_ messages: [MessageRecord], _ own: StateStore) throws -> UnsentParts {
    var search = try PartSearch(messages, policy: policy, headers: headers(own), witness)
    let beside = MailBeside.read(root: root, outside: account)
    var unread = beside.unread
    for (top, places) in Dictionary(grouping: beside.places, by: \.top) {
      let ledger = OtherLedger(states.state(of: top))
      defer { ledger?.shut() }
      let isAccount = ledger != nil || otherAccounts.contains(top)
      let found = search.look(into: places, ledger, isAccount: isAccount)
      guard search.hasStubs else { continue }
      unread += found
      unread += awayFolders(of: top, ledger)
    }
    if remembers { search.looks.save() }
    var found = UnsentParts(parts: try unsent(among: search.found, own))
    // Ordinary mail waits for nothing that cannot be looked into.
    if search.hasStubs {
      found.unread = Set(unread + absentAccounts(besides: Set(beside.places.map(\.top)))).sorted()
    }
    found.parts.sort { $0.place < $1.place }
    return found
  }

  private var witness: TreeWitness {
    TreeWitness(accountPath: tree.path, environment: environment)
  }

  private func awayFolders(of account: String, _ ledger: OtherLedger?) -> [String] {
    guard let ledger, let tree = try? AccountTree.openExisting(path: root + "/" + account) else {
      return []
    }
    return ledger.folders.filter { (try? tree.mayBeAway($0)) == true }.map {
      account + "/" + $0.text
    }
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
  private func headers(_ own: StateStore) throws -> Set<HeaderHash> {
    Set(try own.onDemand([.stub, .filled, .leavingParts]).map(\.message.headerHash))
  }

  // MARK: Records

  /// Finds out which new files that seem to lack parts do. Words of a stub may be a sender's: a file that a program on this
  /// side did not certainly make is whole if it is a message that some account has whole, or if no account has a message
  /// that it may be left of; one that a program may have made, if both are so. A file with a text that this program alone
  /// writes of that very message is whole only if some account has it so.
  ///
  /// - Parameter missing: messages that are to be deleted, some of which they may be.
  func judge(_ files: inout [UnknownFile], _ missing: [MessageRecord], _ own: StateStore) throws {
    let parts = files.indices.filter { files[$0].part != nil }
    guard !parts.isEmpty else { return }
    let headers = try headers(own)
    for place in parts {
      guard var part = files[place].part else { continue }
      part.isOfKnownHeader = headers.contains(part.headerHash)
      if missing.contains(where: part.mayBeWhole), let bytes = content(of: files[place]) {
        part.compare(bytes, with: missing)
      }
      files[place].part = part
    }
    // With a stub's line on top it is one for every program.
    let doubtful = parts.filter { !files[$0].digest.isStub }
    var whole: Set<Int> = []
    var leftOver: Set<Int> = []
    let areAllRead = try states.forEachMessage(own) { _, record in
      for place in parts where files[place].part?.headerHash == record.headerHash {
        files[place].part?.isOfKnownHeader = record.headerHash != .unknown
      }
      for place in doubtful {
        let file = files[place]
        if !record.isStub, record.contentHash != .unknown,
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
      guard let part = files[place].part else { continue }
      let isWhole = whole.contains(place)
      let isLeftOver = leftOver.contains(place)
      let isMessage =
        part.isCertain ? isWhole && !isLeftOver : isWhole || !isLeftOver && !part.isAnnounced
      if isMessage { files[place].part = nil }
    }
  }

  private func content(of file: UnknownFile) -> [UInt8]? {
    (try? MaildirFolder.open(file.folder, in: tree).contentIfMarked(file.file)) ?? nil
  }

  /// Those that no account sends by itself, whatever becomes of the messages: words of a stub alone make no part.
  private func unsent(among parts: [PartLeft], _ own: StateStore) throws -> [PartLeft] {
    guard !parts.isEmpty else { return [] }
    var parts = parts
    var leftOver: Set<Int> = []
    let areAllRead = try states.forEachMessage(own) { _, record in
      for (place, part) in parts.enumerated() {
        if part.isLeft(of: record) { leftOver.insert(place) }
        if part.headerHash != .unknown, part.headerHash == record.headerHash {
          parts[place].isOfKnownHeader = true
        }
      }
    }
    return parts.enumerated().filter { place, part in
      part.isCertain || !areAllRead || leftOver.contains(place)
    }.map(\.element)
  }
}
