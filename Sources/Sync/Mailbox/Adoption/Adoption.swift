import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Finds out which of the server's messages are here already, as a file or as an orphaned record, and takes those over
/// (promise 6).
final class Adoption {
  private let mailbox: PulledMailbox
  /// Nil where nothing here can be a message that is still to come.
  private(set) var matcher: FileMatcher?
  private var hasLooked = false
  private(set) var hasFoundStubs = false
  /// Messages that may have their files in other folders, as shows once all mailboxes were matched with their own.
  private(set) var strays: [UID: [StrayFile]] = [:]
  /// The matcher knows no file of the mailbox's own folder.
  private var isMatchingElsewhere = false
  /// The folder as it was when it held no file without a record.
  private(set) var wholeStamp: FolderStamp?
  /// Files that may be these messages by their header, and not by their size.
  private var suspects: [UID: [Found]] = [:]
  /// Orphans whose record goes with the next commit.
  private var matchedOrphans: [Int64] = []
  private(set) var foundOrphans = FoundOrphans()
  /// Names, by hash, of adopted files that lie in other folders.
  private var movedAway: Set<NameHash> = []
  /// So many files are read at most to find a message that has as many files with its header.
  private static let candidatesRead = 32

  /// A file, and its place in the matcher.
  private typealias Found = (place: FileMatcher.Place, file: AdoptedFile)

  /// For a batch: it holds directories open.
  private var otherPlace: OtherPlace

  init(_ mailbox: PulledMailbox) {
    self.mailbox = mailbox
    otherPlace = OtherPlace(mailbox.context)
  }

  // MARK: Candidates

  /// Looks for files that no record tells of, where there may be any: after a crash, a restore, on first sight of a
  /// folder, or when the directories changed since the last run.
  func prepare(for missing: UIDSet) throws {
    guard !missing.isEmpty, !hasLooked else { return }
    hasLooked = true
    let found = try look(for: missing)
    matcher = found.isEmpty ? nil : found
  }

  /// At the end: what no message took.
  func leftovers() throws -> FileMatcher {
    defer { matcher = nil }
    if isMatchingElsewhere { matcher = nil }
    return try matcher ?? look(for: UIDSet())
  }

  private func look(for missing: UIDSet) throws -> FileMatcher {
    let found = try UnknownFiles(mailbox: mailbox, missing: missing).candidates()
    wholeStamp = found.wholeStamp
    strays = found.strays
    return found.matcher
  }

  /// Files of other folders, which are no messages of the mailboxes there.
  func add(_ files: [UID: StrayFile]) throws {
    guard !files.isEmpty else { return }
    if matcher == nil { isMatchingElsewhere = true }
    var all = matcher ?? FileMatcher()
    try UnknownFiles(mailbox: mailbox, missing: UIDSet(files.keys.sorted()))
      .add(Array(files.values), to: &all)
    matcher = all
    // Their places have changed, and what they may be came or failed.
    suspects = [:]
  }

  // MARK: By the header

  /// Takes over an orphaned record, or a file, whose header is this message's. Nil when there is none that fits.
  ///
  /// Of several files the one that is as long as the server says; only where there is none, one that is longer, or less
  /// than a little shorter.
  ///
  /// - Parameter header: as the server sent it.
  func adopt(_ message: FetchedMessage, header: [UInt8]) throws -> MessageRecord? {
    let headerHash = mailbox.policy.headerHash(of: header)
    guard let places = matcher?.places(headerHash: headerHash, uid: message.uid) else { return nil }
    var best: (found: Found, fit: Fit, differs: Bool)?
    for place in try bestOrphansFirst(Array(places.prefix(Self.candidatesRead)), message) {
      switch matcher?.match(place) {
      case .orphan(let orphan):
        // One that was left there marked \Deleted is not this one, whatever its header.
        if try !message.marks.flags.contains(.deleted) && isLeaving(orphan) { continue }
        matcher?.take(place)
        if let record = try adopt(orphan, as: message) { return record }
      case .file(let file, let folder):
        // The file was moved on, and the message is what a server without UIDPLUS leaves: it is downloaded, marked.
        guard folder == nil || !message.marks.flags.contains(.deleted) else { continue }
        guard let digest = try (folder ?? mailbox.local).digest(of: file),
          digest.headerHash == headerHash
        else { continue }
        let found = (place, AdoptedFile(file: file, digest: digest, elsewhere: folder))
        let differs = try differs(found.1, message, header)
        let fit = mayBeEdited(file, differs) ? .doubtful : fit(digest, message, file)
        // Its size or its name speaks against it, and both may lie: once the message is here, its content decides.
        if fit == .doubtful { suspects[message.uid, default: []].append(found) }
        if fit < best?.fit ?? .doubtful { best = (found, fit, differs) }
      case nil: break
      }
      if best?.fit == .exact { break }
    }
    guard let best else { return nil }
    suspects[message.uid] = nil
    var record = try adopt(best.found, as: message)
    if best.differs { record?.traits.insert(.differs) }
    if record?.isStub == true {
      // Until the server's structure shows that it has nothing of its own.
      record?.traits.insert(.differs)
      hasFoundStubs = true
    }
    return record
  }

  private func adopt(_ found: Found, as message: FetchedMessage) throws -> MessageRecord? {
    do {
      let record = try found.file.record(of: message, in: mailbox, otherPlace)
      if found.file.elsewhere != nil { movedAway.insert(NameHash(of: record.name)) }
      matcher?.take(found.place)
      return record
    } catch let error as MaildirError where !error.stopsRun {
      return nil  // A reader was quicker: the message is downloaded.
    }
  }

  /// How well a file's length fits the message; the best is the least.
  private enum Fit: Comparable { case exact, longer, shorter, doubtful }

  /// A file cut short by a crash of some other tool must not pass for the message. Sizes are hints: longer is fine
  /// (tools add headers), and tools that rewrite white space may lose a few bytes.
  private func fit(_ digest: MessageDigest, _ message: FetchedMessage, _ file: MessageFile) -> Fit {
    guard let announced = message.size, !mailbox.context.serverCountsWrong else { return .exact }
    // Ours, and named only when it was whole on the disk.
    if mailbox.policy.fsync, mailbox.record.uid(bornAs: file.base) == message.uid { return .exact }
    let size = Int64(clamping: digest.serverSize)
    if size >= announced { return size == announced ? .exact : .longer }
    let mayBeRewritten = BirthName(base: file.base) == nil
    return mayBeRewritten && size + 256 >= announced ? .shorter : .doubtful
  }

  /// Whether the file may hold what the server's message does not. Lines that other tools add to a header are no such
  /// thing.
  private func differs(_ file: AdoptedFile, _ message: FetchedMessage, _ header: [UInt8]) throws
    -> Bool
  {
    guard let announced = message.size, !mailbox.context.serverCountsWrong,
      Int64(clamping: file.digest.serverSize) != announced
    else { return false }
    return try bodySize(of: file) != announced - Int64(header.count)
  }

  /// Bytes after the header, as the server would count them.
  private func bodySize(of found: AdoptedFile) throws -> Int64? {
    guard let header = try (found.elsewhere ?? mailbox.local).header(of: found.file) else {
      return nil
    }
    let isAsSent = found.digest.asCame || mailbox.policy.lineEndings == .crlf
    let lineEnds = isAsSent ? 0 : header.count { $0 == UInt8(ascii: "\n") }
    return Int64(clamping: found.digest.serverSize) - Int64(header.count + lineEnds)
  }

  /// All files that other tools left in a folder whose history is whole were matched before: one that no pull named, and
  /// that a message is found to have now, may be what a person made of it, and no length tells.
  private func mayBeEdited(_ file: MessageFile, _ differs: Bool) -> Bool {
    guard mailbox.record.hasWholeHistory, !mailbox.record.needsAdoption else { return false }
    return differs || BirthName(base: file.base) == nil
  }

  // MARK: Orphans

  /// Of several records with this header the one of this date and length (promise 6).
  private func bestOrphansFirst(_ places: [FileMatcher.Place], _ message: FetchedMessage) throws
    -> [FileMatcher.Place]
  {
    var orphans: [(misfit: Int, place: FileMatcher.Place)] = []
    for place in places {
      guard case .orphan(let orphan) = matcher?.match(place) else { continue }
      let record = try mailbox.state.orphan(orphan.key, in: mailbox.id)
      orphans.append((record.map { misfit(of: $0, message) } ?? 0, place))
    }
    guard orphans.count > 1 else { return places }
    let ranked = orphans.sorted { $0 < $1 }.map(\.place)
    return ranked + places.filter { !ranked.contains($0) }
  }

  private func misfit(of record: MessageRecord, _ message: FetchedMessage) -> Int {
    let hasOtherDate = message.internalDate.map { $0 != record.internalDate } ?? false
    let hasOtherSize =
      !mailbox.context.serverCountsWrong && record.serverSize != 0
      && message.size.map { $0 != record.serverSize } ?? false
    return (hasOtherDate ? 2 : 0) + (hasOtherSize ? 1 : 0)
  }

  private func isLeaving(_ orphan: StateStore.Orphan) throws -> Bool {
    try mailbox.state.orphan(orphan.key, in: mailbox.id)?.traits.contains(.leaving) == true
  }

  /// The record knows what was agreed, so a person's changes survive the renumbering.
  private func adopt(_ orphan: StateStore.Orphan, as message: FetchedMessage) throws
    -> MessageRecord?
  {
    guard var record = try mailbox.state.orphan(orphan.key, in: mailbox.id) else { return nil }
    record.uid = message.uid
    record.unappliedRemote = nil
    record.traits.subtract([.outOfView, .notUnderNewID])
    if let identity = message.identity { record.identity = identity }
    if !record.traits.contains(.leaving) {
      switch try mailbox.local.bring(message.marks, to: record) {
      case .applied(let kept, _), .absent(let kept): record = kept
      }
    }
    matchedOrphans.append(orphan.key)
    foundOrphans.add(orphan.key, as: message.uid)
    return record
  }

  // MARK: By the content

  /// Messages of which only their content will tell whether they are here.
  var suspected: UIDSet { UIDSet(suspects.keys) }

  /// The file that a downloaded message turned out to be; nil where it is another.
  func adoptSuspect(_ message: FetchedMessage, _ digest: MessageDigest) throws -> MessageRecord? {
    let suspects = suspects.removeValue(forKey: message.uid) ?? []
    for suspect in suspects
    where suspect.file.digest.contentHash == digest.contentHash
      && matcher?.isTaken(suspect.place) == false
    {
      if let record = try adopt(suspect, as: message) { return record }
    }
    return nil
  }

  // MARK: State

  /// With the records of adopted messages: what they were before they had one is forgotten.
  func write(_ adopted: [MessageRecord], _ transaction: StateTransaction) throws {
    for key in matchedOrphans { try transaction.removeOrphan(key, from: mailbox.id) }
    for record in adopted {
      let name = NameHash(of: record.name)
      if movedAway.remove(name) != nil {
        try transaction.removeSurplus(nameHash: name)
      } else {
        try transaction.removeSurplus(nameHash: name, from: mailbox.id)
      }
    }
  }

  func committed() {
    matchedOrphans = []
    otherPlace = OtherPlace(mailbox.context)
  }
}
