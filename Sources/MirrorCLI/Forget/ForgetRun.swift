import CLISupport
import Foundation
import LocalChanges
import MailCore
import MailIndex
import Maildir
import Outbox
import Queue
import Settings
import Setup
import Sorting
import Sync
import SyncPlan

/// The removal of one account, from the first look to the last file. Blocks.
///
/// Wherever it is cut off, another goes on: before the decision all is as it was, after it the rest goes, too.
struct ForgetRun {
  let account: String
  let session: MirrorSession
  let file: ConfigurationFile
  let environment: [String: String]
  /// What would be lost is to go.
  let isForced: Bool

  struct Outcome: Encodable {
    var account: String
    /// Files of messages that were removed here.
    var messages = 0
    /// What is not ours to remove, in words.
    var stays: [String] = []
    /// Paths of what came too late to be looked at.
    var left: [String] = []
  }

  private var root: String { session.configuration.root }
  private var home: String { root + "/" + account }

  /// What would be lost; changes nothing.
  func rehearse() throws -> Losses {
    try AccountPlace.checkName(account)
    if FileManager.default.fileExists(atPath: root) {
      try AccountPlace.check(account, in: Directory.open(path: root))
    }
    return try look(at: home, try settings())
  }

  /// - Parameter isAgreed: asks the person, where that is to be done.
  func run(isAgreed: (Losses) throws -> Bool) throws -> Outcome {
    try AccountPlace.checkName(account)
    do {
      return try runOnce(isAgreed)
    } catch let error where MissingRoom.isCause(of: error, root: root) {
      guard try MissingRoom.make(root: root) else { throw error }
      session.report.notice(
        account,
        "The disk is full: the index was removed to make room. The next pull makes it anew.")
      return try runOnce(isAgreed)
    }
  }

  private func runOnce(_ isAgreed: (Losses) throws -> Bool) throws -> Outcome {
    let isMade = try makeRoot()
    let place = try AccountPlace(root: root, account: account)
    let tree = SortingTree(root: root, accounts: session.configuration.accounts)
    try tree.hold()
    defer { tree.letGo() }
    do {
      let outcome = try run(place, tree, isAgreed)
      if isMade { removeRoot() }
      return outcome
    } catch {
      if (try? place.stage) == .whole { try? place.close() }
      if isMade { removeRoot() }
      throw error
    }
  }

  private func run(
    _ place: AccountPlace, _ tree: SortingTree, _ isAgreed: (Losses) throws -> Bool
  ) throws -> Outcome {
    if try place.stage == .aside {
      try place.putBack()
      session.report.notice(account, "What an interrupted `mirror forget` had put aside is back.")
    }
    if case .decided(let moment) = try place.stage {
      let isConfigured = session.configuration.account(named: account) != nil
      // Set up anew since, it is another account: only what is left of the first goes without a look.
      guard try isConfigured && (place.isUnconfigured || place.hasNewTree) else {
        return try finish(place, since: moment, isResumed: true)
      }
      let first = try finish(place, since: moment, isResumed: true, isAnother: true)
      guard first.left.isEmpty else { return first }
      return try run(
        try AccountPlace(root: root, account: account), tree, isAgreed)
    }
    let settings = try settings()
    try checkBefore(place, settings)
    let first = try lookUnderLocks(settings)
    if !first.isNothing, !isForced { throw ForgetError.pending(account, first) }
    tree.letGo()  // No other command is to wait for a person.
    guard try isAgreed(first) else { throw ProgramEnd(.inPart) }
    try tree.hold()
    guard try place.stage == .whole else { throw SortingError.overtaken }
    let locks = try locks(settings)
    defer { withExtendedLifetime(locks) {} }
    try compare(look(at: home, settings), with: first)
    try place.putAside()
    let moment: Int64
    do {
      moment = try place.moment()
      let last = try look(at: place.aside, settings)
      try compare(last, with: first)
      guard !session.interrupt.isTriggered else { throw SyncError.interrupted }
      try place.decide(
        moment, AccountPlace.Inventory(messages: last.messages, linked: last.stays))
    } catch {
      try place.putBack()
      throw error
    }
    return try finish(place, since: moment, isResumed: false)
  }

  // MARK: Before

  private func settings() throws -> AccountSettings {
    if let settings = session.configuration.account(named: account) { return settings }
    let names = session.configuration.accounts.map(\.name)
    throw SelectionError.unknownAccount(
      account, nearest: nearestWord(to: account, among: names), known: names)
  }

  private func checkBefore(_ place: AccountPlace, _ settings: AccountSettings) throws {
    let witness = session.run(settings, observer: SilentObserver()).witness
    try witness.checkMount(path: home, root: root)
    try place.check()
    // It may be written in another way, or not be ours to write: before anything is touched.
    try file.rehearse(file.text(without: account), needsAccounts: false)
    if witness.isWatched { throw ForgetError.watched(account) }
  }

  /// While a run is at work there may be more to see than will be.
  private func lookUnderLocks(_ settings: AccountSettings) throws -> Losses {
    let locks = try locks(settings)
    defer { withExtendedLifetime(locks) {} }
    return try look(at: home, settings)
  }

  private func locks(_ settings: AccountSettings) throws -> Locks {
    try Locks(account, session.run(settings, observer: SilentObserver()), home: home)
  }

  private func look(at path: String, _ settings: AccountSettings) throws -> Losses {
    let losses = try Losses.look(
      at: path, root: root, account: settings, environment: environment)
    // While the tree is aside, such a link leads elsewhere.
    if path == home, let link = losses.tree.linked.first(where: { !$0.isAbsolute }) {
      throw ForgetError.relativeLink("\(home)/\(link.path)", target: link.target)
    }
    return losses
  }

  private func compare(_ now: Losses, with first: Losses) throws {
    if !now.isKnown(from: first) { throw ForgetError.pendingByNow(account, now) }
  }

  /// Those of the account's runs, of who watches it, and of who sends its queue.
  private struct Locks {
    let run: RunLock?
    let watch: WatchLock
    let sending: OutboxSender?

    init(_ account: String, _ run: AccountRun, home: String) throws {
      do {
        watch = try run.witness.watch()
      } catch MaildirError.locked {
        throw ForgetError.watched(account)
      }
      let tree = try AccountTree.forReading(path: home)
      guard tree.isControlled else {
        (self.run, sending) = (nil, nil)
        return
      }
      self.run = try tree.lock(program: "mirror forget", since: Date().formatted(.iso8601))
      do {
        sending = try Outbox.open(in: tree)?.beginSending()
      } catch QueueError.senderBusy {
        throw ForgetError.sending(account)
      }
    }
  }

  /// - Returns: whether it was missing.
  private func makeRoot() throws -> Bool {
    guard !FileManager.default.fileExists(atPath: root) else { return false }
    try FileManager.default.createDirectory(
      atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return true
  }

  private func removeRoot() {
    unlink(root + "/.mirror/sorting.lock")
    rmdir(root + "/.mirror")
    rmdir(root)
  }

  // MARK: After the decision

  /// Each step does nothing where it was done before.
  ///
  /// - Parameters:
  ///   - isResumed: another call has begun it.
  ///   - isAnother: the configuration has another account of this name by now, which stays.
  /// - Throws: ``ForgetError/unfinished(_:_:)``: another call goes on.
  private func finish(
    _ place: AccountPlace, since moment: Int64, isResumed: Bool, isAnother: Bool = false
  ) throws -> Outcome {
    do {
      var outcome = Outcome(account: account)
      if !isAnother { outcome.stays = try removeSettings(place) }
      let hadNewTree = try isAnother && place.hasNewTree
      let inventory = isResumed ? place.inventory : nil
      let removed = try place.remove(unchangedSince: moment)
      // What an earlier call removed, this one cannot see any more.
      outcome.messages = max(removed.messages, inventory?.messages ?? 0)
      outcome.left = removed.left
      outcome.stays += Set(removed.linked + (inventory?.linked ?? [])).sorted().map(Self.linked)
      if hadNewTree { outcome.left.removeAll { $0 == home } }
      try eraseIndex()
      if outcome.left.isEmpty { try place.close() }
      return outcome
    } catch let error as any Explained {
      throw ForgetError.unfinished(account, error.explanation)
    }
  }

  /// In words.
  static func linked(_ path: String) -> String { "\(path.visible), mail to which a link led" }

  /// - Returns: what is not ours to remove, in words.
  private func removeSettings(_ place: AccountPlace) throws -> [String] {
    var stays: [String] = []
    if let settings = session.configuration.account(named: account) {
      stays = AccountSecrets(session: session, environment: environment).remove(settings)
    }
    try place.noteUnconfigured()
    stays += try file.remove(account: account).map {
      "\($0), a copy of the configuration that could not be changed"
    }
    AccountSecrets.removeFiles(of: account, home: home, environment: environment)
    try UndoFile(root: root).forget(account: account)
    return stays
  }

  /// What the index had of the account's mail is not only taken out: its pages hold other bytes then.
  private func eraseIndex() throws {
    guard FileManager.default.fileExists(atPath: root + "/.mirror/index.db") else { return }
    let configuration = try Configuration.load(
      path: file.path, environment: environment, needsAccounts: false)
    let after = MirrorSession(
      configuration: configuration, report: session.report, interrupt: session.interrupt)
    do throws(IndexError) {
      try after.bringIndexUpToDate(showsProgress: false, erases: true)
    } catch {
      // Without room for a new one the old one is gone all the same.
      guard MissingRoom.isCause(of: error, root: root), try !MissingRoom.make(root: root) else {
        throw error
      }
      session.report.notice(account, error.explanation.problem)
    }
  }
}
