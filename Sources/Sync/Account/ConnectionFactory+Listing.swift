import IMAPClient
import IMAPWire
import Ledger
import Remote
import State
import SyncPlan
import Transport

extension ConnectionFactory {
  /// A session that is logged in, and the server's mailboxes, named as the state has them: in one flight where the state knows the server. Where that
  /// leads to nothing, it is asked for one thing after the other, at once and from then on.
  ///
  /// - Throws: what `openSession` and `IMAPSession.discover` throw.
  func openListed(
    _ context: AccountContext
  ) throws -> (session: IMAPSession, listings: [MailboxListing]) {
    let known = try context.state.fact(Fact.server).flatMap(KnownServer.init(text:))
    var last: IMAPSession?
    do {
      let session = try openSession(known: known, made: { last = $0 })
      let listings = try context.named(session.discover(), session.names)
      try NamePrefix(session).remember(context)
      if let met = session.met, known?.isSilent(as: met) != true { context.server = met }
      return (session, listings)
    } catch {
      last?.close()
      guard last?.hasAskedAhead == true, Self.mayBeSilence(error) else { throw error }
    }
    let session = try openSession()
    let listings = try context.named(session.discover(), session.names)
    try NamePrefix(session).remember(context)
    context.server = session.met.map { KnownServer(greeting: $0.greeting, capabilities: nil) }
    context.noteChange()
    return (session, listings)
  }

  /// Whether it may come of what was asked too early.
  private static func mayBeSilence(_ error: any Error) -> Bool {
    switch error {
    case let error as TransportError: error.isLost
    case IMAPError.connectionLost, IMAPError.bye, IMAPError.protocolViolation: true
    default: false
    }
  }
}
