import CLISupport
import IMAPWire
import MailCore
import Settings

/// The mailboxes of one account, against the configuration's patterns.
struct MailboxExamination {
  let account: AccountSettings
  let listings: [MailboxListing]

  func findings() -> [Finding] {
    [count(), specialUse()] + idlePatterns() + refused()
  }

  private func count() -> Finding {
    let selectable = listings.filter(\.isSelectable)
    let mirrored = selectable.filter { account.sync.folders.matches($0.name) }
    let messages = mirrored.compactMap(\.status?.messages).reduce(0, +)
    let words =
      "\(mirrored.count) of \(Quantities.count(selectable.count, "mailbox", "mailboxes"))"
      + " match the patterns, \(Quantities.count(messages, "message"))"
    return mirrored.isEmpty
      ? .wrong("mailboxes", words + ".", "Check folders in [sync].", .configuration)
      : .fine("mailboxes", words)
  }

  private func specialUse() -> Finding {
    let found = SpecialUse.allCases.compactMap { use in
      listings.first { $0.specialUse.contains(use) }.map { "\(use.rawValue) is \($0.name)" }
    }
    let uses = Set(listings.flatMap(\.specialUse))
    guard uses.contains(.trash) else {
      let others = found.isEmpty ? "" : " (" + found.joined(separator: ", ") + ")"
      return .notice("special-use", "the server names no mailbox for trash\(others).")
    }
    return .fine("special-use", found.joined(separator: ", "))
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
    listings.filter { $0.statusFailure != nil }.prefix(10).map { listing in
      .wrong(
        "mailboxes",
        "the server refuses STATUS of \(listing.name): \(listing.statusFailure?.text ?? "")",
        "Exclude it: folders = [\"*\", \"!\(listing.name)\"].")
    }
  }
}
