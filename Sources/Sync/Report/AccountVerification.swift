import Foundation
import IMAPClient
import IMAPWire
import MailCore
import Maildir
import Settings
import State
import Transport

extension AccountRun {
  /// Holds tree, state and server against each other; changes nothing.
  package func verify(_ options: VerifyOptions) async -> VerifyReport {
    let verification = AccountVerification(
      account: account, root: root, options: options, factory: factory, observer: observer,
      interrupt: interrupt)
    return await onOwnThread { verification.run() }
  }
}

/// Every mailbox: what the server lists, what the state tells, what the files hold. Blocks.
struct AccountVerification {
  let account: AccountSettings
  let root: String
  let options: VerifyOptions
  let factory: ConnectionFactory
  let observer: any RunObserver
  let interrupt: Interrupt

  func run() -> VerifyReport {
    var report = VerifyReport(account: account.name)
    do {
      try verify(&report)
    } catch {
      report.findings.append(RunProblem(error))
    }
    report.exitStatus =
      report.findings.reduce(ExitStatus.done) {
        $0.combined(with: ExitStatus(rawValue: $1.exitStatus) ?? .inPart)
      }.rawValue
    return report
  }

  private func verify(_ report: inout VerifyReport) throws {
    let path = root + "/" + account.name
    let tree = try AccountTree.openExisting(path: path)
    let store = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { store.shut() }
    observer.entered(.connecting, account: account.name)
    let session = try factory.openSession()
    defer { session.logout() }
    let listings = try session.discover()
    let catalogue = MailboxCatalogue(
      listings: listings, records: try store.mailboxes(), folders: account.sync.folders)
    let labels = LabelPolicy(mirrored: catalogue.mirrored.map(\.listing.name.text))
    let remote = IMAPRemoteMailbox(session: session, labels: labels)
    remote.asksSizes = !session.quirks.contains(.wrongSizes)
    observer.entered(.headers, account: account.name)
    for (listing, record) in catalogue.mirrored where isWanted(listing) {
      if interrupt.isTriggered { throw SyncError.interrupted }
      report.mailboxesChecked += 1
      guard let record else {
        report.findings.append(
          RunProblem(
            mailbox: listing.name.text, problem: "Not pulled yet.", remedy: "Run `mirror pull`."))
        continue
      }
      var check = MailboxVerification(
        record: record, store: store, tree: tree, policy: MaildirPolicy(account.sync),
        options: options)
      try check.verify(remote)
      report.messagesChecked += check.checked
      report.sizesCompared += check.content.sizesCompared
      report.headersCompared += check.content.headersCompared
      report.bodiesCompared += check.content.bodiesCompared
      report.findings += check.findings
    }
    report.findings += leftOut(of: catalogue, listings)
    for record in try catalogue.vanished.filter({ try !$0.isGone || $0.hasFolder(in: tree) }) {
      report.findings.append(
        RunProblem(
          mailbox: record.name, problem: "Only here: the server has no such mailbox.",
          exitStatus: .done))
    }
  }

  /// Mailboxes that ought to be mirrored, and are not. What counts is the server's own spelling: names that are equal to
  /// a person, or to a program, are not to a server.
  private func leftOut(of catalogue: MailboxCatalogue, _ listings: [MailboxListing]) -> [RunProblem]
  {
    func spelling(_ listing: MailboxListing) -> [UInt8] {
      listing.name.isInbox ? Array("INBOX".utf8) : listing.rawName
    }
    var seen = Set(catalogue.mirrored.map { spelling($0.listing) })
    return listings.filter {
      $0.isSelectable && isWanted($0) && MailboxCatalogue.isMirrored($0, account.sync.folders)
        && seen.insert(spelling($0)).inserted
    }.map {
      RunProblem(
        mailbox: $0.name.text,
        problem: "The server has another mailbox of this name, which is not mirrored.",
        remedy: "Give one of them another name on the server.")
    }
  }

  private func isWanted(_ listing: MailboxListing) -> Bool {
    options.mailboxes.isEmpty
      || options.mailboxes.contains { FolderPatterns.pattern($0, matches: listing.name) }
  }
}
