import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// After mailboxes were matched anew with the tree: a message whose file lies in another folder counts as one that a person
/// moved there. Where a message of that folder's own mailbox has the file, nothing was moved: a copy lies there, and what was
/// lost with the state is no deletion. The next pull brings the message again.
///
/// The run that matched them may have been killed before it came here, and the other mailbox may be opened or mirrored only
/// later: messages that are marked `foundElsewhere` are looked at until their file is in their own folder.
struct CopiesElsewhere {
  let context: AccountContext

  /// A message that has, or had, its file under one of the names in question.
  private struct Claim {
    let mailbox: MailboxKey
    let name: NameHash
    let uid: UID
    let isMarked: Bool
    /// No file of the account has the name any more.
    let isNowhere: Bool
  }

  private struct Claims {
    /// Of messages whose file is in their own folder.
    var here: Set<NameHash> = []
    /// Of messages that are not marked.
    var unmarked: Set<NameHash> = []
    /// Messages whose file is not in their own folder.
    var lacking: [Claim] = []
  }

  func release() throws {
    guard !context.isRehearsal else { return }
    let isAdopting = context.elsewhere.isAdopting
    let marked = try context.state.foundElsewhere()
    // What was not looked into proves nothing.
    guard isAdopting || !marked.isEmpty && !context.missesMailboxes else { return }
    let names = try names(marked, isAdopting ? namesOfSeveral() : [])
    guard !names.isEmpty else { return }
    var claims = Claims()
    for record in try mailboxes() {
      try context.sparing(record.name) {
        let marks = UIDSet((marked[record.id] ?? []).map(\.uid).sorted())
        try gather(try self.claims(of: record.id, on: names, marks), of: record.id, &claims)
      }
    }
    try forget(claims, marked)
  }

  private func gather(
    _ found: [(base: [UInt8], claim: Claim)], of mailbox: MailboxKey, _ claims: inout Claims
  ) throws {
    guard !found.isEmpty else { return }
    var home: [UID] = []
    let scan = try context.folders.local(ofMailbox: mailbox)?.scanned()
    for (base, claim) in found {
      if !claim.isMarked { claims.unmarked.insert(claim.name) }
      if scan?.find(base: base) != nil {
        claims.here.insert(claim.name)
        if claim.isMarked { home.append(claim.uid) }
      } else if context.elsewhere.isAdopting || claim.isMarked {
        claims.lacking.append(claim)
      }
    }
    guard !home.isEmpty else { return }
    try context.write { try $0.setFoundElsewhere(false, UIDSet(home.sorted()), in: mailbox) }
  }

  private func forget(_ claims: Claims, _ marked: [MailboxKey: [MessageRecord]]) throws {
    let otherPlace = OtherPlace(context)
    let copied = try claims.lacking.filter { claim in
      if claims.here.contains(claim.name) { return true }
      guard claim.isMarked else { return false }
      // The other message lost it, too: a person deleted or moved that one's file.
      if claims.unmarked.contains(claim.name) { return true }
      guard claim.isNowhere,
        let record = marked[claim.mailbox]?.first(where: { $0.uid == claim.uid })
      else { return false }
      // The other message was matched with no file, and came.
      return try otherPlace.holds(record.digest, besides: claim.mailbox, countsStubs: false)
    }
    for (mailbox, claims) in Dictionary(grouping: copied, by: \.mailbox) {
      try AwaitedMessages(context: context).forget(claims.map(\.uid), mailbox)
    }
  }

  private func names(_ marked: [MailboxKey: [MessageRecord]], _ others: [NameHash]) -> [NameHash] {
    var names = others + marked.values.joined().map { NameHash(of: $0.name) }
    names.sortAscending()
    return names
  }

  private func mailboxes() throws -> [MailboxRecord] {
    try context.state.mailboxes().filter { !$0.isGone }
  }

  /// Names of files, by their hashes, that messages of more than one mailbox have. Eight bytes a message.
  private func namesOfSeveral() throws -> [NameHash] {
    var all: [NameHash] = []
    for record in try mailboxes() {
      try context.state.forEachName(in: record.id) { _, name in all.append(NameHash(of: name)) }
    }
    all.sortAscending()
    return zip(all, all.dropFirst()).filter { $0 == $1 }.map(\.0)
  }

  private func claims(of mailbox: MailboxKey, on names: [NameHash], _ marks: UIDSet) throws -> [(
    base: [UInt8], claim: Claim
  )] {
    var claims: [(base: [UInt8], claim: Claim)] = []
    try context.state.forEachName(in: mailbox) { uid, name in
      let hash = NameHash(of: name)
      guard let uid, names.holds(hash) else { return }
      let base = Array(name)
      claims.append(
        (
          base,
          Claim(
            mailbox: mailbox, name: hash, uid: uid, isMarked: marks.contains(uid),
            isNowhere: context.elsewhere.isAdopting && !context.elsewhere.contains(base))
        ))
    }
    guard !claims.isEmpty else { return [] }
    // What the server expunged, or a revert set aside, has its own end.
    let ended = try context.state.messages(in: mailbox, UIDSet(claims.map(\.claim.uid).sorted()))
      .filter { !$0.traits.isDisjoint(with: [.expunged, .beingReverted]) }
    return claims.filter { claim in !ended.contains { $0.uid == claim.claim.uid } }
  }
}
