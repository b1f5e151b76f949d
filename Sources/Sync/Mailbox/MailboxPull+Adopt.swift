import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

extension MailboxPull {
  /// So many files are read at most to find a message that has as many files with its header.
  private static let candidatesRead = 32

  /// Takes over an orphaned record, or a file, whose header is this message's. Nil when there is none that fits.
  ///
  /// Of several files the one that is as long as the server says; only where there is none, one that is longer, or less
  /// than a little shorter.
  ///
  /// - Parameter header: as the server sent it.
  func adopt(_ message: FetchedMessage, header: [UInt8]) throws -> MessageRecord? {
    let headerHash = headerHash(of: header)
    guard let places = matcher?.places(headerHash: headerHash, uid: message.uid) else { return nil }
    var best: (place: FileMatcher.Place, digest: MessageDigest, fit: Fit)?
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
        guard let digest = try digest(of: file, in: folder), digest.headerHash == headerHash
        else { continue }
        let fit = fit(digest, message, file)
        // The size speaks against it, and sizes lie: once the message is here, its content decides.
        if fit == .tooShort {
          suspects[message.uid, default: []].append(Suspect(place: place, digest: digest))
        }
        if fit < best?.fit ?? .tooShort { best = (place, digest, fit) }
      case nil: break
      }
      if best?.fit == .exact { break }
    }
    guard let best else { return nil }
    suspects[message.uid] = nil
    let differs = try differs(best.place, best.digest, message, header)
    var record = try take(best.place, best.digest, as: message)
    if differs { record?.traits.insert(.differs) }
    return record
  }

  /// Of several records with this header the one of this date and length (promise 6).
  private func bestOrphansFirst(_ places: [FileMatcher.Place], _ message: FetchedMessage) throws
    -> [FileMatcher.Place]
  {
    var orphans: [(misfit: Int, place: FileMatcher.Place)] = []
    for place in places {
      guard case .orphan(let orphan) = matcher?.match(place) else { continue }
      orphans.append((0, place))
      guard let record = try context.state.orphan(orphan.key, in: mailboxID) else { continue }
      orphans[orphans.count - 1].misfit = misfit(of: record, message)
    }
    guard orphans.count > 1 else { return places }
    let ranked = orphans.sorted { $0 < $1 }.map(\.place)
    return ranked + places.filter { !ranked.contains($0) }
  }

  private func misfit(of record: MessageRecord, _ message: FetchedMessage) -> Int {
    let hasOtherDate = message.internalDate.map { $0 != record.internalDate } ?? false
    let hasOtherSize =
      !context.serverCountsWrong && record.serverSize != 0
      && message.size.map { $0 != record.serverSize } ?? false
    return (hasOtherDate ? 2 : 0) + (hasOtherSize ? 1 : 0)
  }

  /// Whether the file may hold what the server's message does not. Lines that other tools add to a header are no such
  /// thing.
  private func differs(
    _ place: FileMatcher.Place, _ digest: MessageDigest, _ message: FetchedMessage,
    _ header: [UInt8]
  ) throws -> Bool {
    guard let announced = message.size, !context.serverCountsWrong,
      Int64(clamping: digest.serverSize) != announced
    else { return false }
    return try bodySize(of: place, digest) != announced - Int64(header.count)
  }

  /// Bytes behind the header, as the server would count them.
  private func bodySize(of place: FileMatcher.Place, _ digest: MessageDigest) throws -> Int64? {
    guard case .file(let file, let folder) = matcher?.match(place) else { return nil }
    do {
      let header = try (folder ?? local).folder.header(
        of: file, policy: context.policy, limit: MessageSink.longestHeader)
      let isAsSent = digest.asCame || context.policy.lineEndings == .crlf
      let lineEnds = isAsSent ? 0 : header.count { $0 == UInt8(ascii: "\n") }
      return Int64(clamping: digest.serverSize) - Int64(header.count + lineEnds)
    } catch let error as MaildirError where !error.stopsRun {
      return nil
    }
  }

  /// The record knows what was agreed, so a person's changes survive the renumbering.
  private func adopt(_ orphan: StateStore.Orphan, as message: FetchedMessage) throws
    -> MessageRecord?
  {
    guard var record = try context.state.orphan(orphan.key, in: mailboxID) else { return nil }
    record.uid = message.uid
    record.unappliedRemote = nil
    if let identity = message.emailID { record.emailID = identity }
    if record.traits.contains(.leaving) {
      matchedOrphans.append(orphan.key)
      return record
    }
    switch try local.bring(message.marks, to: record) {
    case .applied(let kept, _): record = kept
    case .absent(let kept): record = kept
    }
    matchedOrphans.append(orphan.key)
    return record
  }

  private func isLeaving(_ orphan: StateStore.Orphan) throws -> Bool {
    try context.state.orphan(orphan.key, in: mailboxID)?.traits.contains(.leaving) == true
  }

  /// Nil where a reader renamed or removed the file just now: the next run sorts it out.
  private func digest(of file: MessageFile, in other: LocalFolder?) throws -> MessageDigest? {
    do {
      return try (other ?? local).folder.digest(of: file, policy: context.policy)
    } catch let error as MaildirError where !error.stopsRun {
      return nil
    }
  }

  /// How well a file's length fits the message; the best is the least.
  private enum Fit: Int, Comparable {
    case exact, longer, shorter, tooShort
    static func < (one: Fit, other: Fit) -> Bool { one.rawValue < other.rawValue }
  }

  /// A file cut short by a crash of some other tool must not pass for the message. Sizes are hints: longer is fine
  /// (tools add headers), and tools that rewrite white space may lose a few bytes.
  private func fit(_ digest: MessageDigest, _ message: FetchedMessage, _ file: MessageFile) -> Fit {
    guard let announced = message.size, !context.serverCountsWrong else { return .exact }
    let birth = BirthName(base: file.base)
    if let birth, context.policy.fsync, birth.uid == message.uid,
      birth.uidValidity.rawValue == record.uidValidity, birth.isBorn(in: record.mailboxName)
    {
      return .exact  // Ours, and named only when it was whole on the disk.
    }
    let size = Int64(clamping: digest.serverSize)
    if size >= announced { return size == announced ? .exact : .longer }
    return birth == nil && size + 256 >= announced ? .shorter : .tooShort
  }

  /// The file that a downloaded message turned out to be; nil where it is another.
  func adoptSuspect(_ message: FetchedMessage, _ digest: MessageDigest) throws -> MessageRecord? {
    let suspects = suspects.removeValue(forKey: message.uid) ?? []
    for suspect in suspects
    where suspect.digest.contentHash == digest.contentHash
      && matcher?.isTaken(suspect.place) == false
    {
      if let record = try take(suspect.place, suspect.digest, as: message) { return record }
    }
    return nil
  }

  private func take(
    _ place: FileMatcher.Place, _ digest: MessageDigest, as message: FetchedMessage
  ) throws -> MessageRecord? {
    guard case .file(let file, let folder) = matcher?.match(place) else { return nil }
    do {
      let record = try take(file, digest, in: folder, as: message)
      matcher?.take(place)
      return record
    } catch let error as MaildirError where !error.stopsRun {
      return nil  // A reader was quicker: the message is downloaded.
    }
  }

  private func take(
    _ found: MessageFile, _ digest: MessageDigest, in other: LocalFolder?,
    as message: FetchedMessage
  ) throws -> MessageRecord {
    let folder = try other ?? self.local
    let file = try corrected(found, digest, in: folder)
    let written = try folder.folder.localKeywords(of: file, policy: context.policy)
    let local = MessageMarks(
      flags: file.fileName.flags, keywords: written.set(beyond: digest.nativeLabels))
    let plan = MarkPlan.adopting(local: local, remote: context.policy.kept(message.marks))
    let date = message.internalDate ?? context.started
    var record = MessageRecord(
      uid: message.uid, name: file.base, agreed: plan.agreed, headerHash: digest.headerHash,
      contentHash: digest.contentHash, internalDate: date, traits: .adopted,
      emailID: message.emailID)
    record.nativeLabels = digest.nativeLabels
    record.serverSize = Int64(clamping: digest.serverSize)
    if digest.asCame { record.traits.insert(.keptAsItCame) }
    record.size = Int64(try folder.folder.facts(file).size)
    // A push goes by the size, and would never look for keywords that only the file has.
    if context.policy.keywords.line != nil, written.own != nil || !local.keywords.isEmpty {
      record.traits.insert(.hasKeywordsLine)
    }
    if other != nil {
      // It lies elsewhere: a person moved it. Its marks wait for the push that carries the move out.
      record.agreed = MarkPlan.common(local, context.policy.kept(message.marks))
      record.unappliedRemote = context.policy.kept(message.marks)
      movedAway.insert(XXH3.hash(file.base))
      return record
    }
    if let date = message.internalDate { try folder.setModified(date, of: file) }
    if let wanted = plan.local {
      try folder.apply(wanted, over: local, to: file, &record)
      count { $0.changed += 1 }
    }
    return record
  }

  /// Sizes in the name that other tools rely on (`,S=`, `,W=`) must be right.
  private func corrected(_ file: MessageFile, _ digest: MessageDigest, in folder: LocalFolder)
    throws
    -> MessageFile
  {
    let size = try folder.folder.facts(file).size
    guard
      let base = NameHints.corrected(base: file.base, size: size, crlfSize: digest.serverSize)
    else { return file }
    folder.forgetScan()
    return try folder.rename(file, base: base)
  }
}
