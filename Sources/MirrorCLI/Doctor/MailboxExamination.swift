import CLISupport
import IMAPWire
import MailCore
import Outbox
import Settings
import Sync
import SyncPlan

/// The mailboxes of one account, against the configuration's patterns.
struct MailboxExamination {
  let account: AccountSettings
  let listings: [MailboxListing]

  func findings() -> [Finding] {
    [count()] + specialUse() + idlePatterns() + refused()
  }

  private func count() -> Finding {
    let selectable = listings.filter(\.isSelectable)
    let mirrored = selectable.filter { MailboxCatalogue.isMirrored($0, account.sync.folders) }
    let messages = mirrored.compactMap(\.status?.messages).reduce(0, +)
    let words =
      "\(mirrored.count) of \(Quantities.count(selectable.count, "mailbox", "mailboxes"))"
      + " are mirrored, \(Quantities.count(messages, "message"))"
    return mirrored.isEmpty
      ? .wrong("mailboxes", words + ".", "Check folders in [sync].", .configuration)
      : .fine("mailboxes", words)
  }

  /// Where what is deleted and sent goes; what the server does not tell is known by its name.
  private func specialUse() -> [Finding] {
    let found = SpecialUse.allCases.compactMap { use in
      listings.first { $0.specialUse.contains(use) }.map { "\(use.rawValue) is \($0.name)" }
    }
    var findings: [Finding] = []
    if !found.isEmpty { findings.append(.fine("special-use", found.joined(separator: ", "))) }
    let uses = Set(listings.flatMap(\.specialUse))
    if !uses.contains(.trash) { findings.append(withoutTrash) }
    if !uses.contains(.sent), let smtp = account.smtp, SentCopyRule(smtp) == .us,
      !listings.contains(where: {
        Keywords.fold($0.name.levels.last ?? "").hasPrefix("sent")
      })
    {
      findings.append(
        .notice(
          "special-use", "the server has no mailbox for copies of sent mail.",
          "Create one called Sent, or set sent-copy = \"server\"."))
    }
    return findings
  }

  private var withoutTrash: Finding {
    let named = listings.first {
      $0.isSelectable && FolderRoles.isNamed($0.name, FolderRoles.names(of: .trash))
    }
    guard let named else {
      return .notice(
        "special-use", "the server has no mailbox for trash.",
        "The first push that deletes something makes one.")
    }
    return .notice(
      "special-use", "the server names no mailbox for trash: \(named.name) counts, by its name.")
  }

  /// A pattern that no mailbox matches is often a slip.
  private func idlePatterns() -> [Finding] {
    account.sync.folders.texts.compactMap { text in
      let bare = text.hasPrefix("!") ? String(text.dropFirst()) : text
      guard !listings.contains(where: { FolderPatterns.pattern(bare, matches: $0.name) }) else {
        return nil
      }
      return .notice("patterns", "no mailbox matches \"\(text)\".", "Check folders in [sync].")
    }
  }

  private func refused() -> [Finding] {
    listings.filter { $0.statusFailure != nil && $0.isSelectable }.prefix(10).map { listing in
      .wrong(
        "mailboxes",
        "the server refuses STATUS of \(listing.name): \(listing.statusFailure?.text ?? "")",
        "Exclude it: folders = [\"*\", \"!\(listing.name)\"].")
    }
  }
}
