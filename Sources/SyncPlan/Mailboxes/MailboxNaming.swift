import IMAPWire
import Ledger
import MailCore

/// Gives each mailbox that the server lists its name here: pure.
///
/// A mailbox is its raw name. One that the state knows by that keeps the name that it has there, and with it its folder,
/// whatever else is listed and in whichever order. Of new ones whose names read the same, or as a known one's, all but
/// one get names with levels that are spelled out; the one that a client would write so reads as it is.
package struct MailboxNaming {
  private let coding: MailboxNameCoding
  private let records: [MailboxRecord]
  /// Names with levels that are spelled out that folders have here: where the state is lost, they tell who had them.
  private let kept: Set<MailboxName>
  private var names: [[UInt8]: MailboxName] = [:]
  private var taken: Set<MailboxName>

  package init(_ coding: MailboxNameCoding, records: [MailboxRecord], kept: Set<MailboxName> = []) {
    self.coding = coding
    self.kept = kept
    // One that is gone may have left its raw name to another.
    self.records = records.filter { !$0.isGone } + records.filter(\.isGone)
    taken = Set(records.map(\.mailboxName) + [MailboxName("INBOX", delimiter: nil)])
  }

  /// The same mailboxes with their names. Of those that are INBOX by their names (RFC 9051 §5.1) the first is it.
  package func named(_ listings: [MailboxListing]) -> [MailboxListing] {
    var naming = self
    naming.nameKnown(listings)
    let new = listings.filter { naming.names[$0.rawName] == nil }
    if !new.isEmpty {
      naming.nameRespelled(new, listed: Set(listings.map(\.rawName)))
      naming.nameNew(new.filter { naming.names[$0.rawName] == nil })
    }
    let named = listings.map { listing in
      var listing = listing
      listing.name = naming.names[listing.rawName] ?? listing.name
      return listing
    }
    // The others can only be reported; the order of the list decides nothing.
    let inboxes = named.filter(\.name.isInbox)
    guard inboxes.count > 1 else { return named }
    let plain = Array("INBOX".utf8)
    return inboxes.sorted { one, other in
      other.rawName != plain
        && (one.rawName == plain || one.rawName.lexicographicallyPrecedes(other.rawName))
    } + named.filter { !$0.name.isInbox }
  }

  private mutating func nameKnown(_ listings: [MailboxListing]) {
    let own = Dictionary(
      records.filter { coding.reads($0.rawName, as: $0.mailboxName) }
        .map { ($0.rawName, $0.name) }, uniquingKeysWith: { first, _ in first })
    for listing in listings {
      if Self.isInbox(listing.rawName[...]) {
        names[listing.rawName] = MailboxName("INBOX", delimiter: listing.delimiter)
      } else if let name = own[listing.rawName] {
        names[listing.rawName] = MailboxName(name, delimiter: listing.delimiter)
      }
    }
  }

  /// Mailboxes that the server spells otherwise now, and does not list as it did: in UTF-8 instead of modified UTF-7, or
  /// INBOX as the first level in another case.
  private mutating func nameRespelled(_ new: [MailboxListing], listed: Set<[UInt8]>) {
    var known: [[UInt8]: MailboxRecord] = [:]
    for record in records where !listed.contains(record.rawName) {
      let name = record.mailboxName
      let codings = [coding, coding.other]
      guard codings.contains(where: { $0.reads(record.rawName, as: name) }) else { continue }
      for form in forms(record.rawName, record.delimiter?.first) where known[form] == nil {
        known[form] = record
      }
    }
    guard !known.isEmpty else { return }
    var used = Set(names.values)
    for listing in inOrder(new) {
      let found = forms(listing.rawName, listing.delimiter).lazy.compactMap { known[$0] }.first
      guard let found, used.insert(found.mailboxName).inserted else { continue }
      names[listing.rawName] = MailboxName(found.name, delimiter: listing.delimiter)
    }
  }

  private func forms(_ raw: [UInt8], _ delimiter: Character?) -> [[UInt8]] {
    var raw = raw
    let end = delimiter?.asciiValue.flatMap(raw.firstIndex) ?? raw.endIndex
    if Self.isInbox(raw[..<end]) { raw.replaceSubrange(..<end, with: Array("INBOX".utf8)) }
    guard let text = String(validating: raw, as: UTF8.self) else { return [raw] }
    return [raw, ModifiedUTF7.encode(text)]
  }

  private static func isInbox(_ raw: ArraySlice<UInt8>) -> Bool {
    raw.map { $0 & 0xDF } == Array("INBOX".utf8)
  }

  private mutating func nameNew(_ new: [MailboxListing]) {
    for listing in inOrder(new) {
      let choices = coding.names(
        of: listing.rawName, delimiter: listing.delimiter, below: parent(of: listing))
      let name =
        choices.first { $0.isSpelled && kept.contains($0) && !taken.contains($0) }
        ?? choices.first { !taken.contains($0) }
      guard let name else { continue }
      taken.insert(name)
      names[listing.rawName] = name
    }
  }

  /// The mailbox right above it that has its name already: those below get their names from it.
  private func parent(of listing: MailboxListing) -> (levels: Int, name: MailboxName)? {
    guard let delimiter = listing.delimiter?.asciiValue else { return nil }
    let raw = listing.rawName
    for end in raw.indices.reversed() where raw[end] == delimiter {
      if let name = names[Array(raw[..<end])], !name.isInbox {
        return (raw[..<end].count { $0 == delimiter } + 1, name)
      }
    }
    return nil
  }

  /// Whoever is first gets the name as it reads.
  private func inOrder(_ listings: [MailboxListing]) -> [MailboxListing] {
    func rank(_ listing: MailboxListing) -> (Int, Int, Int) {
      (
        listing.isSelectable ? 0 : 1,
        coding.isCanonical(listing.rawName, delimiter: listing.delimiter) ? 0 : 1,
        listing.name.levels.count
      )
    }
    return listings.map { (rank($0), $0) }.sorted {
      $0.0 == $1.0 ? $0.1.rawName.lexicographicallyPrecedes($1.1.rawName) : $0.0 < $1.0
    }.map(\.1)
  }
}

extension MailboxNameCoding {
  /// What the server may have spoken before.
  fileprivate var other: MailboxNameCoding {
    MailboxNameCoding(isUTF8: !isUTF8, normalise: normalise)
  }
}
