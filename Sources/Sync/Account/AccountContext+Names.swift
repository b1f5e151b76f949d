import IMAPWire
import Ledger
import MailCore
import Maildir
import SyncPlan

extension AccountContext {
  /// What the server lists, each mailbox with a name of its own.
  func named(_ listings: [MailboxListing], _ coding: MailboxNameCoding) throws -> [MailboxListing] {
    let records = try state.mailboxes()
    let isMatching = adoptsNewMailboxes || records.contains(where: \.needsAdoption)
    let delimiter = listings.lazy.compactMap(\.delimiter).first
    let kept = isMatching ? try spelledNames(delimiter) : []
    return MailboxNaming(coding, records: records, kept: kept).named(listings)
  }

  /// Names with levels that are spelled out, of mailboxes that have folders here.
  private func spelledNames(_ delimiter: Character?) throws -> Set<MailboxName> {
    let layout = try folders.layout()
    let names = try tree.readableFolders(policy.layout).folders.map { path in
      layout.mailbox(
        at: path, delimiter: delimiter,
        sideName: layout.needsSideName(path) ? try folders.open(path).sideName : nil)
    }
    return Set(names.compactMap(\.self).filter(\.isSpelled))
  }
}
