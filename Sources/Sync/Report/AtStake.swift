import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// What would be lost with an account's folders: all that no server is known to have. Each thing counts by itself, so that
/// two looks can be compared.
package struct AtStake: Sendable, Equatable {
  /// One of them, told from others by a hash of what it is.
  package struct Thing: Hashable, Sendable {
    fileprivate let hash: UInt64
  }

  /// Changes that no push carried out.
  package private(set) var changes: Set<Thing> = []
  /// Messages, and edited drafts, that are in no mailbox of the server's.
  package private(set) var onlyHere: Set<Thing> = []
  /// Edits of other messages: no push sends them.
  package private(set) var edits: Set<Thing> = []
  /// Files that were taken for messages though they hold something else.
  package private(set) var differing: Set<Thing> = []
  /// All of these in mailboxes that the configuration leaves out.
  package private(set) var leftOut: Set<Thing> = []
  /// Files of which no state tells whether the server has their messages.
  package private(set) var unmatched: Set<Thing> = []
  /// What is no mail, below the account's directory. Of a link only the link itself.
  package private(set) var foreign: [String: AccountContents.Foreign] = [:]
  /// Mail that lies elsewhere, and stays there: it is no loss.
  package private(set) var linked: Set<LinkedMail> = []
  /// Why more than that cannot be told, and what helps.
  package private(set) var doubts: [String: String] = [:]
  /// All files of messages. They are no reason by themselves.
  package private(set) var messages = 0

  package init() {}

  /// Something that a push carries out.
  package var waits: Bool { !changes.isEmpty || !onlyHere.isEmpty }

  /// Whether all of it was there at an earlier look, too.
  package func isKnown(from earlier: AtStake) -> Bool {
    changes.isSubset(of: earlier.changes) && onlyHere.isSubset(of: earlier.onlyHere)
      && edits.isSubset(of: earlier.edits) && differing.isSubset(of: earlier.differing)
      && leftOut.isSubset(of: earlier.leftOut)
      && unmatched.isSubset(of: earlier.unmatched)
      && Set(foreign.keys).isSubset(of: earlier.foreign.keys)
      && Set(doubts.keys).isSubset(of: earlier.doubts.keys)
  }
}

extension AtStake {
  /// Reads the tree and the state, and changes nothing. **Blocks**.
  ///
  /// - Parameters:
  ///   - path: the account's directory, also where it was put out of its place.
  ///   - home: where it belongs.
  package static func look(
    at path: String, home: String, account: AccountSettings, environment: [String: String]
  ) throws -> AtStake {
    var found = AtStake()
    let tree = try AccountTree.forReading(path: path)
    guard !tree.directory.isNowhere else { return found }
    var known: [Place: Set<NameHash>] = [:]
    var leftOut: Set<Place> = []
    let hasState =
      tree.isControlled && FileManager.default.fileExists(atPath: path + "/.mirror/state.db")
    if hasState {
      let state = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
      defer { state.shut() }
      do {
        try found.readState(state, &known, account)
        let witness = TreeWitness(accountPath: home, environment: environment)
        if try StateOpening(tree: tree, witness: witness, durable: false).needsMatching(state) {
          throw PushError.needsPull
        }
        let survey = try PushSurvey(
          account: account, tree: tree, state: state, policy: MaildirPolicy(account.sync),
          options: PushOptions(full: true), environment: environment)
        found.read(survey, &known)
        let others = try survey.leftOut(account, tree, state, comparesAll: true)
        found.read(others, &known)
        leftOut = Set(others.mailboxes.map(\.folder.text))
      } catch let error as any Explained {
        // The same wherever the tree lies.
        let words = error.explanation
        found.doubts[words.problem.withoutPeriod.replacing(path, with: home)] =
          (words.remedy ?? "").replacing(path, with: home)
      }
    }
    try found.readFiles(tree, hasState ? known : nil, leftOut)
    return found
  }

  /// A folder, below the account's directory.
  private typealias Place = String

  private mutating func readState(
    _ state: StateStore, _ known: inout [Place: Set<NameHash>], _ account: AccountSettings
  ) throws {
    let records = try state.mailboxes().filter { !$0.isGone }
    let repeated = try Self.repeated(records.map(\.id), state)
    for record in records {
      let id = record.id
      var names = Set(
        try state.surplus(in: id).filter { repeated.contains($0.contentHash) }.map(\.nameHash))
      try state.forEachName(in: id) { _, name in names.insert(NameHash(of: Array(name))) }
      differing.formUnion(try Self.differing(in: id, state))
      known[record.folder.text, default: []].formUnion(names)
      if record.needsAdoption, record.uidValidity != 0 {
        doubts["“\(record.name.visible)” has to be matched with the server first"] =
          account.sync.folders.matches(record.mailboxName)
          ? "Run `mirror pull`." : LeftOutChanges.remedy
      }
    }
    if try state.renameUnderWay() != nil || state.relocationUnderWay() != nil {
      throw PushError.foldersMoving
    }
    for step in try state.pushSteps() { changes.insert(Self.thing("step", step.number)) }
    for hidden in try SyncError.outOfView(in: state, folders: account.sync.folders) {
      let words = RunProblem(hidden.error)
      doubts[words.problem.withoutPeriod] = words.remedy ?? ""
    }
  }

  /// Files that were taken for messages of the server's although they hold what those do not: before the state was lost, or
  /// the tree came from another program, a person may have edited them.
  private static func differing(in mailbox: MailboxKey, _ state: StateStore) throws -> Set<Thing> {
    let messages = try state.messages(in: mailbox, state.uids(.differing, in: mailbox))
    return Set(messages.map { thing("edit", mailbox, $0.uid, $0.contentHash) })
  }

  /// Contents of surplus files of which the server has a message: others are here alone by now.
  private static func repeated(_ mailboxes: [MailboxKey], _ state: StateStore) throws -> Set<
    ContentHash
  > {
    var wanted: Set<ContentHash> = []
    for id in mailboxes { wanted.formUnion(try state.surplus(in: id).map(\.contentHash)) }
    var found: Set<ContentHash> = []
    for id in mailboxes { found.formUnion(try state.contents(in: id, among: wanted).keys) }
    return found
  }

  private mutating func read(_ survey: PushSurvey, _ known: inout [Place: Set<NameHash>]) {
    let all = survey.changes
    for file in all.moved.map(\.file) + all.renamed.map(\.file) + all.surplus {
      known[file.folder.text, default: []].insert(file.file.baseHash)
    }
    for change in all.marks {
      changes.insert(Self.thing("mark", change.mailbox, change.record.uid, change.local))
    }
    for move in all.moved {
      changes.insert(Self.thing("move", move.from, move.record.uid, move.file.folder.text))
    }
    for renamed in all.renamed where renamed.file.marks != renamed.record.agreed {
      changes.insert(Self.thing("mark", renamed.from, renamed.record.uid, renamed.file.marks))
    }
    for message in all.gone {
      changes.insert(Self.thing("gone", message.mailbox, message.record.uid))
    }
    for folder in all.renamedFolders {
      changes.insert(Self.thing("folder", folder.mailbox, folder.folder.text))
    }
    let outside = survey.plan.outsideWindow
    for file in outside {
      let (folder, hash) = (file.file.folder.text, file.file.file.baseHash)
      known[folder, default: []].insert(hash)
      if file.content != .same { edits.insert(Self.thing("file", folder, hash, true)) }
    }
    // Also in folders that lie elsewhere: their mail stays, and no server has this.
    for file in all.new where !outside.contains(where: { $0.file == file }) {
      onlyHere.insert(Self.thing("file", file.folder.text, file.file.baseHash, true))
    }
    // Others are no mailboxes to be: what lies in them counts by itself.
    for creation in survey.plan.creations + survey.plan.refusedCreations {
      changes.insert(Self.thing("new", creation.folder.text))
    }
    let unsent = Set(survey.plan.edits.map(Self.edit))
    edits.formUnion(unsent)
    onlyHere.formUnion(Set(all.edited.map(Self.edit)).subtracting(unsent))
    if all.isRaced {
      doubts["mail readers change the tree all the while"] = "Run it when they rest."
    }
    for problem in survey.folderNotes {
      doubts[problem.problem.withoutPeriod] = problem.remedy ?? ""
    }
  }

  /// Files that are new there are met as any other file that no record tells of.
  private mutating func read(_ others: LeftOutChanges, _ known: inout [Place: Set<NameHash>]) {
    let all = others.changes
    for file in all.moved.map(\.file) + all.renamed.map(\.file) + all.surplus {
      known[file.folder.text, default: []].insert(file.file.baseHash)
    }
    for change in all.marks {
      leftOut.insert(Self.thing("mark", change.mailbox, change.record.uid, change.local))
    }
    for move in all.moved + all.renamed {
      leftOut.insert(
        Self.thing("move", move.from, move.record.uid, move.file.folder.text, move.file.marks))
    }
    for message in all.gone {
      leftOut.insert(Self.thing("gone", message.mailbox, message.record.uid))
    }
    leftOut.formUnion(all.edited.map(Self.edit))
    for file in all.new {
      leftOut.insert(Self.thing("file", file.folder.text, file.file.baseHash, true))
    }
  }

  private static func edit(_ edit: EditedMessage) -> Thing {
    thing("edit", edit.mailbox, edit.record.uid, edit.file.digest.contentHash)
  }

  private mutating func readFiles(
    _ tree: AccountTree, _ known: [Place: Set<NameHash>]?, _ places: Set<Place>
  ) throws {
    var seen: [Place: Set<NameHash>] = [:]
    for entry in try AccountContents.all(in: tree.directory) {
      switch entry {
      case .message(let folder, let hash):
        messages += 1
        // A name says which file it is once in a folder, in `new` and `cur` together.
        let isFirst = seen[folder, default: []].insert(hash).inserted
        if !isFirst || known?[folder]?.contains(hash) != true {
          let file = Self.thing("file", folder, hash, isFirst)
          if known == nil {
            unmatched.insert(file)
          } else if places.contains(folder) {
            leftOut.insert(file)
          } else {
            onlyHere.insert(file)
          }
        }
      case .foreign(let path, let what): foreign[path] = what
      case .linked(let mail): linked.insert(mail)
      }
    }
  }

  private static func thing(_ parts: Any...) -> Thing {
    Thing(hash: XXH3.hash(Array(parts.map { "\($0)" }.joined(separator: "\0").utf8)))
  }
}
