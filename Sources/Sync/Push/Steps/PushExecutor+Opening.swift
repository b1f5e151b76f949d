import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Remote
import Settings
import State
import SyncPlan

extension PushExecutor {
  /// Opens a mailbox for changes, if it is the one that the state knows.
  ///
  /// - Parameter asPlace: only to look for messages in it: it need not have been pulled.
  func open(_ mailbox: Int64, asPlace: Bool = false) throws -> Bool {
    guard !isSkipped(mailbox), let record = records[mailbox] else { return false }
    if remote.selected != mailbox {
      guard isListed(record) else {
        skip(vanished: record, mailbox)
        return false
      }
      opening = mailbox
      let facts = try remote.select(mailbox, record.rawName, readOnly: onlyLooks)
      opening = nil
      if let objection = record.objection(to: facts) {
        remote.forgetSelection()
        if record.isRestored(facts) { restored.insert(mailbox) }
        skip(strange: mailbox, objection)
        return false
      }
      if onlyLooks { return true }
      let rights = try rights(in: mailbox, isDoubtful: facts.isReadOnly)
      guard !facts.isReadOnly else {
        remote.forgetSelection()
        // The server has said it twice where it has told the rights, too.
        try refuse(mailbox, .mailbox, "it was opened read-only", isFinal: rights != nil)
        skip(mailbox, .readOnly(record.name, rights))
        return false
      }
      unkeepable[mailbox] = flags(unkeepableBy: facts, rights)
      try forgetRefusals(of: mailbox, contradictedBy: facts)
    }
    return try asPlace || learn(mailbox)
  }

  /// A mailbox that a push made, and no pull saw yet: from now on it is known by its numbers, so that one of the same
  /// name that somebody else makes is not taken for it.
  private func learn(_ mailbox: Int64) throws -> Bool {
    guard var record = records[mailbox], record.uidValidity == 0 else { return true }
    guard (remote.facts.exists ?? 0) == 0, let validity = remote.facts.uidValidity else {
      remote.forgetSelection()
      skip(mailbox, .unpulled(record.name))
      return false
    }
    record.uidValidity = validity.rawValue
    record.uidNext = remote.facts.uidNext?.rawValue ?? 0
    record.mailboxID = remote.facts.mailboxID
    try save(&record)
    return true
  }

  /// What was refused once, and now is not.
  private func forgetRefusals(of mailbox: Int64, contradictedBy facts: SelectedMailbox) throws {
    let stale = try state.pushRefusals().filter { refusal in
      guard refusal.mailbox == mailbox else { return false }
      if refusal.subject == .mailbox { return true }
      guard let marks = UnkeepableMarks(refusal: refusal.subject) else { return false }
      return marks.flags.isDisjoint(with: unkeepable[mailbox] ?? [])
        && marks.keywords.allSatisfy { keepsKeyword($0, facts) }
    }
    guard !stale.isEmpty else { return }
    try state.transaction { transaction in
      for refusal in stale {
        try transaction.removeRefusal(mailbox: mailbox, subject: refusal.subject)
      }
    }
    context.noteChange()
  }

  func listing(of record: MailboxRecord) -> MailboxListing? {
    listings.last { $0.name == record.mailboxName && $0.isSelectable }
  }

  func isListed(_ record: MailboxRecord) -> Bool { listing(of: record) != nil }

  private func flags(unkeepableBy facts: SelectedMailbox, _ rights: MailboxRights?) -> MessageFlags
  {
    var flags: MessageFlags = remote.isGmail ? .deleted : []
    if let rights { flags.formUnion(rights.unkeepable) }
    guard let permanent = facts.permanentFlags else { return flags }
    let kept = Set(permanent.map(Keywords.fold))
    for (name, flag) in MarkDelta.flagNames where name.hasPrefix("\\") && !kept.contains(name) {
      flags.insert(flag)
    }
    if !keepsKeyword("$forwarded", facts) { flags.insert(.forwarded) }
    return flags
  }

  /// Whether the open mailbox can carry a keyword.
  func keepsKeyword(_ keyword: String, _ facts: SelectedMailbox) -> Bool {
    if remote.isGmail, keyword != "$forwarded" {
      return facts.lists(keyword) || gmailLabels.canHold(keyword)
    }
    guard IMAPCommand.isKeyword(keyword), !remote.session.quirks.contains(.noKeywords) else {
      return false
    }
    if let mailbox = remote.selected, let rights = knownRights[mailbox] ?? nil,
      !rights.mayChangeFlags
    {
      return false
    }
    guard let permanent = facts.permanentFlags else { return true }
    let folded = Keywords.fold(keyword)
    return facts.acceptsNewKeywords || permanent.contains { Keywords.fold($0) == folded }
  }

  /// Gmail's mailboxes and labels.
  var gmailLabels: GmailLabels {
    let count = listings.count + records.count
    if let knownLabels, knownLabels.count == count { return knownLabels.labels }
    let labels = GmailLabels(
      listings: listings, records: records.values, folders: settings.folders)
    knownLabels = (count, labels)
    return labels
  }
}
