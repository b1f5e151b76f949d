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

  private struct Claim {
    let mailbox: MailboxKey
    let name: NameHash
    let uid: UID
  }

  func release() throws {
    guard !context.isRehearsal else { return }
    let isAdopting = context.elsewhere.isAdopting
    let marked = try context.state.foundElsewhere()
    // What was not looked into proves nothing.
    guard isAdopting || !marked.isEmpty && !context.missesMailboxes else { return }
    let names = try names(marked, isAdopting ? namesOfSeveral() : [])
    guard !names.isEmpty else { return }
    var here: Set<NameHash> = []
    var lacking: [Claim] = []
    for record in try mailboxes() {
      try context.sparing(record.name) {
        let claims = try claims(of: record.id, on: names)
        guard !claims.isEmpty else { return }
        let marks = UIDSet((marked[record.id] ?? []).map(\.uid).sorted())
        var home: [UID] = []
        let scan = try context.folders.local(ofMailbox: record.id)?.scanned()
        for (base, claim) in claims {
          if scan?.find(base: base) != nil {
            here.insert(claim.name)
            if marks.contains(claim.uid) { home.append(claim.uid) }
          } else if isAdopting || marks.contains(claim.uid) {
            lacking.append(claim)
          }
        }
        guard !home.isEmpty else { return }
        try context.write { try $0.setFoundElsewhere(false, UIDSet(home.sorted()), in: record.id) }
      }
    }
    let copied = lacking.filter { here.contains($0.name) }
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

  private func claims(of mailbox: MailboxKey, on names: [NameHash]) throws -> [(
    base: [UInt8], claim: Claim
  )] {
    var claims: [(base: [UInt8], claim: Claim)] = []
    try context.state.forEachName(in: mailbox) { uid, name in
      let hash = NameHash(of: name)
      guard let uid, names.holds(hash) else { return }
      claims.append((Array(name), Claim(mailbox: mailbox, name: hash, uid: uid)))
    }
    guard !claims.isEmpty else { return [] }
    // What the server expunged, or a revert set aside, has its own end.
    let ended = try context.state.messages(in: mailbox, UIDSet(claims.map(\.claim.uid).sorted()))
      .filter { !$0.traits.isDisjoint(with: [.expunged, .beingReverted]) }
    return claims.filter { claim in !ended.contains { $0.uid == claim.claim.uid } }
  }
}
