/// Mailboxes that are opened when first asked for, and not asked any more once their connection is gone.
final class LazyMailboxes {
  private let open: (() throws -> any SentMailboxes)?
  private var mailboxes: (any SentMailboxes)?
  private var hasFailed = false

  init(open: (() throws -> any SentMailboxes)?) { self.open = open }

  var mayBeAsked: Bool { !hasFailed && mailboxes?.isUsable ?? true }

  func opened() throws -> (any SentMailboxes)? {
    if let mailboxes { return mailboxes }
    do {
      mailboxes = try open?()
    } catch {
      hasFailed = true
      throw error
    }
    return mailboxes
  }

  func close() { mailboxes?.close() }
}
