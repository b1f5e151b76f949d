import Ledger
import MailCore
import Maildir

/// Contents that are not to be sent until it is known what became of them.
struct BusyContents {
  private var anywhere: Set<ContentHash>
  private var byMailbox: [MailboxKey: Set<ContentHash>] = [:]

  /// While a message's file lies where it was sent from, others with its content are copies; after that any of them may
  /// be it, moved on.
  init(_ situation: PushSituation, _ changes: TreeChanges) {
    anywhere = situation.busyContents
    guard !situation.busyUploads.isEmpty else { return }
    var lying: Set<Place> = []
    for file in changes.new + changes.twins + changes.surplus {
      guard let mailbox = file.mailbox else { continue }
      lying.insert(Place(mailbox: mailbox, stem: file.file.stem))
    }
    for upload in situation.busyUploads {
      byMailbox[upload.mailbox, default: []].insert(upload.contentHash)
      let place = Place(mailbox: upload.mailbox, stem: MessageStem(of: upload.name))
      if !lying.contains(place) { anywhere.insert(upload.contentHash) }
    }
    anywhere.remove(.unknown)
  }

  func holds(_ content: ContentHash, in mailbox: MailboxKey) -> Bool {
    anywhere.contains(content) || byMailbox[mailbox]?.contains(content) == true
  }

  private struct Place: Hashable {
    let mailbox: MailboxKey
    let stem: MessageStem
  }
}
