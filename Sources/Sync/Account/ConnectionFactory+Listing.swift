import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Remote
import State
import SyncPlan
import Transport

extension ConnectionFactory {
  /// A session that is logged in, and the server's mailboxes, named as the state has them: over a connection that was
  /// kept, else in one flight where the state knows the server. Where that leads to nothing, it is asked for one thing
  /// after the other, at once and from then on.
  ///
  /// - Throws: what `openSession` and `IMAPSession.discover` throw.
  func openListed(
    _ context: AccountContext
  ) throws -> (session: IMAPSession, listings: [MailboxListing]) {
    let known = try context.state.account().server.flatMap(KnownServer.init(text:))
    if let listed = try listedOverKept(context, known) { return listed }
    var last: IMAPSession?
    do {
      let session = try openSession(known: known, made: { last = $0 })
      return (session, try list(session, known, context))
    } catch {
      last?.close()
      guard last?.hasAskedAhead == true, Self.mayBeSilence(error) else { throw error }
    }
    let session = try openSession()
    let listings = try listings(session, context)
    context.server = session.met.map {
      KnownServer(greeting: $0.greeting, capabilities: nil, mechanism: $0.mechanism)
    }
    context.noteChange()
    return (session, listings)
  }

  private func list(
    _ session: IMAPSession, _ known: KnownServer?, _ context: AccountContext
  ) throws -> [MailboxListing] {
    let listings = try listings(session, context)
    if let met = session.met, known?.isSilent(as: met) != true { context.server = met }
    return listings
  }

  private func listings(_ session: IMAPSession, _ context: AccountContext) throws
    -> [MailboxListing]
  {
    let listed = try context.named(session.discover(), session.names)
    try NamePrefix(session).remember(context)
    return listed + (try unlisted(besides: listed, session, context))
  }

  /// Silence is not absence: of the known mailboxes that the list leaves out, those that the server has all the same.
  private func unlisted(
    besides listings: [MailboxListing], _ session: IMAPSession, _ context: AccountContext
  ) throws -> [MailboxListing] {
    let listed = Set(listings.map(\.rawName))
    // One that no pull saw yet may be a push's own, still to be made.
    let missing = try context.state.mailboxes().filter {
      !$0.isGone && $0.uidValidity != 0 && !listed.contains($0.rawName)
    }
    guard !missing.isEmpty else { return [] }
    return try session.unlisted(
      missing.map { record in
        var listing = MailboxListing(
          name: record.mailboxName, rawName: record.rawName,
          delimiter: record.mailboxName.delimiter)
        listing.isListed = false
        listing.specialUse =
          record.specialUse.flatMap(SpecialUse.init(rawValue:)).map { [$0] } ?? []
        return listing
      })
  }

  /// Nil where no connection was kept, or the server has hung up on it, or the line is dead: another is made then, and
  /// nobody is told.
  private func listedOverKept(
    _ context: AccountContext, _ known: KnownServer?
  ) throws -> (session: IMAPSession, listings: [MailboxListing])? {
    guard let kept, let session = kept.take() else { return nil }
    do {
      return (session, try list(session, known, context))
    } catch {
      session.close()
      guard Self.mayBeSilence(error) else { throw error }
      // The others were made over the same line.
      kept.closeAll()
      return nil
    }
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
