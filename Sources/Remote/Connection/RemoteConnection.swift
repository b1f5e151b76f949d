import IMAPClient
import IMAPWire
import MailCore
import Maildir
import SyncPlan

/// One connection to an account's server. What names messages by UID stands on ``OpenMailbox`` alone. Confined to the
/// connection's thread.
package final class RemoteConnection {
  package let session: IMAPSession
  private let labels: LabelPolicy
  private let labelName: String?
  /// Of the last opening. It is left without CLOSE, which would expunge what others marked.
  private var selection: Selection?

  package init(session: IMAPSession, labels: LabelPolicy, policy: MaildirPolicy) {
    self.session = session
    self.labels = labels
    labelName = policy.keywords.line?.name
  }

  /// UIDs are expunged one by one, or not at all: there is no box-wide EXPUNGE here (promise 4).
  package var canExpunge: Bool {
    session.capabilities.contains(.uidPlus)
      && session.quirks.isDisjoint(with: [.noUIDExpunge, .actsOnNextUID])
  }
  package var canMove: Bool { session.capabilities.contains(.move) }
  package var isGmail: Bool { session.quirks.contains(.gmail) }

  // MARK: Opening

  /// For a mailbox that is only looked at: it is selected together with the first command.
  ///
  /// - Parameter next: what this connection is to ask for afterwards, in other mailboxes. It is sent after the last command
  ///   of this one, so that the line carries it meanwhile.
  package func withMailbox<Result>(
    _ target: MailboxTarget, next: NextMailboxes? = nil,
    _ work: (borrowing OpenMailbox) throws -> Result
  ) rethrows -> Result {
    let selection = beginSelection(of: target)
    selection.next = next
    return try work(open(selection))
  }

  /// Selects a mailbox, unless the last opening was of the same one and for the same.
  ///
  /// - Parameters:
  ///   - isFresh: it is selected in any case: what came over other connections is to be seen.
  ///   - probe: a message whose size is asked for in the same flight.
  ///   - isMeant: asked when it was selected, before anything is done in it.
  /// - Returns: nil where it is not the one that is meant.
  /// - Throws: the server's refusal.
  package func withMailbox<Result>(
    _ target: MailboxTarget, _ access: MailboxAccess, isFresh: Bool = false,
    probing probe: UID? = nil, if isMeant: (SelectedMailbox) throws -> Bool = { _ in true },
    _ work: (borrowing OpenMailbox) throws -> Result
  ) throws -> Result? {
    if !isFresh, let selection, selection.target.rawName == target.rawName,
      selection.access == access
    {
      return try work(open(selection))
    }
    let selection = beginSelection(of: target)
    try select(selection, access, probing: probe)
    guard try isMeant(selection.facts) else { return nil }
    selection.access = access
    return try work(open(selection))
  }

  private func select(_ selection: Selection, _ access: MailboxAccess, probing probe: UID?) throws {
    let sync: SelectSync = session.capabilities.contains(.condstore) ? .condstore : .plain
    let name = selection.target.rawName
    var commands = [IMAPCommand.select(name, readOnly: access == .toLook, sync: sync)]
    if let probe { commands.append(.uidFetch(UIDSet([probe]), .size)) }
    let answers = try session.answers(to: commands)
    let result = try answers.result(0)
    guard result.isOK else { throw IMAPError(refusing: "SELECT", result) }
    selection.facts = answers.selected
    selection.probedSize = probe.flatMap { answers.sizes[$0] }
    selection.isOpen = true
  }

  private func open(_ selection: Selection) -> OpenMailbox {
    OpenMailbox(session: session, labels: labels, labelName: labelName, selection: selection)
  }

  private func beginSelection(of target: MailboxTarget) -> Selection {
    forgetSelection()
    let selection = Selection(of: target)
    self.selection = selection
    return selection
  }

  private func forgetSelection() {
    selection?.isLeft = true
    selection = nil
  }

  // MARK: Mailboxes that need not be open

  /// Leaves the mailbox that was opened last for another one: some servers refuse to rename what is open.
  package func leaveMailbox(for other: [UInt8]?) throws {
    forgetSelection()
    if let other { _ = try session.answers(to: [.select(other, readOnly: true)]) }
  }

  package func rename(_ rawName: [UInt8], to new: [UInt8]) throws -> TaggedResult {
    try session.answers(to: [.rename(rawName, to: new)]).result(0)
  }

  package func create(_ rawName: [UInt8], for use: SpecialUse? = nil) throws -> TaggedResult {
    try session.answers(to: [.create(rawName, use: use)]).result(0)
  }

  /// Subscriptions are names: they do not follow mailboxes by themselves.
  package func subscribe(_ rawNames: [[UInt8]], insteadOf old: [[UInt8]] = []) throws {
    _ = try session.answers(
      to: rawNames.map { .subscribe($0) } + old.map { .unsubscribe($0) })
  }

  /// Subscribes to a mailbox that was just made, since many clients hide one without a subscription, and looks at it.
  ///
  /// - Returns: whether the server knows it. One that hands commands on to another (Dovecot's imapc in front of Cyrus) may
  ///   say OK to CREATE, and for a moment not know what it made.
  package func subscribe(made rawName: [UInt8]) throws -> Bool {
    let answers = try session.answers(to: [.subscribe(rawName), .status(rawName, .uidValidity)])
    return try !answers.result(1).saysNoSuchMailbox
  }

  /// New messages, one APPEND for each, without waiting in between. A push that is killed here is looked after by the next
  /// one: what the system had not sent by then must not become a message after that look.
  package func append(_ commands: [IMAPCommand]) throws -> ChangeAnswers {
    session.dropsUnsentBytes = true
    let answers = try session.answers(to: commands)
    session.dropsUnsentBytes = false
    return answers
  }

  /// What this account may do in a mailbox (RFC 4314); nil where the server does not say.
  package func rights(in rawName: [UInt8]) throws -> MailboxRights? {
    guard session.capabilities.contains(.acl) else { return nil }
    return try session.answers(to: [.myRights(rawName)]).rights[0]
  }

  /// Whether a mailbox is another's, or shared (RFC 2342).
  package func isForeign(_ rawName: [UInt8]) -> Bool {
    guard let namespaces = session.namespaces else { return false }
    return (namespaces.otherUsers + namespaces.shared).contains {
      !$0.rawPrefix.isEmpty && rawName.starts(with: $0.rawPrefix)
    }
  }

  // MARK: Many mailboxes at once

  /// The size of one message of each mailbox, in one round trip; nil where the server does not tell.
  package func sizes(of probes: [(rawName: [UInt8], uid: UID)]) throws -> [Int64?] {
    let answers = try fly(
      probes.map { ($0.rawName, [.uidFetch(UIDSet([$0.uid]), .size)]) }, readOnly: true)
    return zip(probes, answers).map { $1.isOK(0) ? $1.sizes[$0.uid] : nil }
  }

  /// Opens one mailbox after the other without waiting for an answer, and has its commands carried out. UNSELECT keeps
  /// a refused SELECT from leaving the mailbox before it open for commands that are not for it.
  ///
  /// - Returns: the answers of each mailbox, with commands counted from its SELECT.
  package func fly(
    _ legs: [(rawName: [UInt8], commands: [IMAPCommand])], readOnly: Bool = false
  ) throws -> [ChangeAnswers] {
    forgetSelection()
    var commands: [IMAPCommand] = []
    var answers = FlightAnswers(count: legs.count)
    for (number, leg) in legs.enumerated() {
      let own =
        [.select(leg.rawName, readOnly: readOnly, sync: .condstore)] + leg.commands + [.unselect]
      answers.expect(own.count, of: number)
      commands += own
    }
    try session.run(commands, handler: &answers)
    return answers.legs
  }
}
