import IMAPWire
import Ledger
import MailCore
import Maildir
import Settings

/// A mailbox that is known here and a new name on the server, which may be one.
package struct RenameCandidate {
  package enum Evidence {
    /// The same MAILBOXID: proof (RFC 8474 §4).
    case mailboxID
    /// The same UIDVALIDITY, which no other mailbox has, listed or known: one equal message is enough.
    case uidValidity
    /// Nothing speaks against it: their content is to be compared.
    case content
  }

  package let record: MailboxRecord
  package let listing: MailboxListing
  package let evidence: Evidence

  package init(record: MailboxRecord, listing: MailboxListing, evidence: Evidence) {
    self.record = record
    self.listing = listing
    self.evidence = evidence
  }

  /// The likeliest have the lowest; of those that show nothing but a name anything may be true.
  fileprivate var rank: Int {
    switch evidence {
    case .mailboxID: return 0
    case .uidValidity: return 1
    case .content:
      guard let status = listing.status else { return 4 }
      return status.uidValidity?.rawValue == record.uidValidity ? 2 : 3
    }
  }
}

/// The server's list of mailboxes held against the state's: pure.
package struct MailboxCatalogue {
  /// On the server and to be mirrored, each with its record where there is one.
  package var mirrored: [(listing: MailboxListing, record: MailboxRecord?)] = []
  /// Where Gmail keeps what is archived, when it is not mirrored itself; nil where it is, or is not shown.
  package private(set) var archive: (listing: MailboxListing, record: MailboxRecord?)?
  /// Those that hold what other mailboxes hold.
  package private(set) var views: [MailboxName] = []
  /// Known here, no longer on the server.
  package var vanished: [MailboxRecord] = []
  /// On the server, and not to be had: they have the names of others.
  package private(set) var doubled: [MailboxListing] = []
  /// UIDVALIDITYs that more than one mailbox has.
  private let shared: Set<UInt32>

  /// - Parameter listings: with the names that ``MailboxNaming`` gave them.
  package init(listings: [MailboxListing], records: [MailboxRecord], folders: FolderPatterns) {
    var known = Dictionary(records.map { ($0.mailboxName, $0) }) { first, _ in first }
    var seen: [MailboxName: MailboxStatus?] = [:]
    shared = Self.repeated(listings.compactMap { $0.status?.uidValidity?.rawValue })
      .union(Self.repeated(records.map(\.uidValidity)))
    for listing in listings where listing.isSelectable {
      if let other = seen[listing.name] {
        if !listing.isSame(as: other), Self.isMirrored(listing, folders) { doubled.append(listing) }
        continue
      }
      seen[listing.name] = .some(listing.status)
      if listing.specialUse.contains(where: Self.isView) { views.append(listing.name) }
      let record = known.removeValue(forKey: listing.name)
      if Self.isMirrored(listing, folders) {
        mirrored.append((listing, record))
      } else if listing.specialUse.contains(.all), archive == nil {
        archive = (listing, record)
      }
    }
    vanished = known.values.sorted { $0.name < $1.name }
    mirrored.sort { $0.listing.name.order < $1.listing.name.order }
  }

  /// By which names Gmail has the mirrored mailboxes as labels.
  package var labels: LabelPolicy {
    LabelPolicy(
      mirrored: mirrored.flatMap { [$0.listing.name.text, $0.listing.name.reading.text] })
  }

  /// All Mail and Important hold what other mailboxes hold: only by their own name.
  package static func isMirrored(_ listing: MailboxListing, _ folders: FolderPatterns) -> Bool {
    isMirrored(listing.name, listing.specialUse, folders)
  }

  /// By what the last list that showed uses said of the mailbox.
  package static func isMirrored(_ record: MailboxRecord, _ folders: FolderPatterns) -> Bool {
    let use = record.specialUse.flatMap(SpecialUse.init(rawValue:))
    return isMirrored(record.mailboxName, use.map { [$0] } ?? [], folders)
  }

  private static func isMirrored(
    _ name: MailboxName, _ uses: [SpecialUse], _ folders: FolderPatterns
  ) -> Bool {
    guard folders.matches(name) else { return false }
    return !uses.contains(where: isView) || isNamed(name, folders)
  }

  /// Whether a folder of this name may become a mailbox, or is one that is left out.
  package static func isMirrored(
    _ name: MailboxName, besides views: ViewNames?, _ folders: FolderPatterns
  ) -> Bool {
    folders.matches(name) && (views?.contain(name) != true || isNamed(name, folders))
  }

  /// Its messages lie in other mailboxes, too.
  private static func isView(_ use: SpecialUse) -> Bool { use == .all || use == .important }

  private static func isNamed(_ name: MailboxName, _ folders: FolderPatterns) -> Bool {
    folders.texts.contains {
      !$0.contains("*") && !$0.contains("%") && FolderPatterns.pattern($0, matches: name)
    }
  }

  private static func repeated(_ numbers: [UInt32]) -> Set<UInt32> {
    Set(Dictionary(numbers.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }.keys)
  }

  /// Pairs that may be one mailbox under two names, the likeliest first: a copy of a whole mailbox may be any of several.
  package func renameCandidates() -> [RenameCandidate] {
    func isEstranged(_ one: (listing: MailboxListing, record: MailboxRecord?)) -> Bool {
      one.record?.isEstranged(from: one.listing.status) == true
    }
    // A name that another mailbox took over counts as new, and its old holder as vanished.
    let estranged = mirrored.filter(isEstranged).compactMap(\.record)
    let gone = (vanished.map { ($0, true) } + estranged.map { ($0, false) }).filter { !$0.0.isGone }
    var pairs: [RenameCandidate] = []
    for (listing, own) in mirrored where own?.isNew ?? true || isEstranged((listing, own)) {
      for (record, isVanished) in gone {
        guard let evidence = evidence(that: listing, own, is: record, isVanished) else { continue }
        pairs.append(RenameCandidate(record: record, listing: listing, evidence: evidence))
      }
    }
    return Dictionary(grouping: pairs, by: \.rank).sorted { $0.key < $1.key }.flatMap(\.value)
  }

  /// - Parameters:
  ///   - own: the record that has this name here.
  ///   - isVanished: the other record has its name no longer.
  private func evidence(
    that listing: MailboxListing, _ own: MailboxRecord?, is record: MailboxRecord,
    _ isVanished: Bool
  ) -> RenameCandidate.Evidence? {
    guard let status = listing.status else {
      return own == nil && !record.isNew ? .content : nil
    }
    if let id = record.mailboxID, let other = status.mailboxID {
      return id == other ? .mailboxID : nil
    }
    if let validity = status.uidValidity, validity.rawValue == record.uidValidity {
      guard (status.uidNext?.rawValue ?? .max) >= record.uidNext else { return nil }
      return shared.contains(validity.rawValue) ? .content : .uidValidity
    }
    // Not of those that have their names still: a server that numbers everything anew renames nothing.
    return isVanished && own?.isNew ?? true && record.mayBeNumberedAnew(as: status) ? .content : nil
  }
}

extension MailboxListing {
  /// Whether a mailbox that has its name by the rules of IMAP, and these counters, is this one listed twice.
  fileprivate func isSame(as other: MailboxStatus?) -> Bool {
    status?.uidValidity == other?.uidValidity && status?.uidNext == other?.uidNext
      && status?.messages == other?.messages
  }

  /// That it is not mirrored.
  package var doubledProblem: RunProblem {
    let spelling = String(decoding: rawName, as: UTF8.self)
    return RunProblem(
      mailbox: spelling,
      problem:
        "The server lists this mailbox beside “\(name.text.visible)”, which is the same name: it is not mirrored.",
      remedy: "Give it another name on the server.")
  }
}

extension MailboxRecord {
  /// Whether the mailbox that now has this name is another one than the record's.
  package func isEstranged(from status: MailboxStatus?) -> Bool {
    if let mailboxID, let id = status?.mailboxID { return id != mailboxID }
    guard let validity = status?.uidValidity, uidValidity != 0 else { return false }
    return validity.rawValue != uidValidity
  }

  /// Just as many messages up to the same number: some servers number anew what they rename (Courier).
  fileprivate func mayBeNumberedAnew(as status: MailboxStatus) -> Bool {
    exists > 0 && uidNext > 0 && status.messages == exists && status.uidNext?.rawValue == uidNext
  }

  /// Whether its name was another mailbox's when the server listed it: the record's own, or one that was never looked
  /// into, where that is now one that is known here by another name. Some servers list other numbers than they open.
  package func hasChangedHands(
    listed: UIDValidity?, opened: UIDValidity, among known: () throws -> [MailboxRecord]
  ) rethrows -> Bool {
    guard let listed, opened != listed else { return false }
    if uidValidity != 0 { return uidValidity == listed.rawValue }
    return try known().contains { $0.id != id && $0.uidValidity == opened.rawValue }
  }

  /// Whether STATUS shows exactly what the last run left: then the mailbox is not even opened.
  package func isUnchanged(_ status: MailboxStatus?) -> Bool {
    guard let status, hasWholeHistory, !isDirty, highestModSeq > 0, !isEstranged(from: status)
    else { return false }
    return status.uidValidity?.rawValue == uidValidity && status.uidNext?.rawValue == uidNext
      && status.messages == exists && status.highestModSeq?.rawValue == UInt64(highestModSeq)
  }
}

extension MailboxName {
  /// INBOX first, the others by name.
  package var order: (Int, String) { (isInbox ? 0 : 1, text) }
}
