import Foundation
import IMAPClient
import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import Settings
import State
import SyncPlan
import Transport

extension AccountRun {
  /// Holds tree, state and server against each other; changes nothing.
  package func verify(_ options: VerifyOptions) async -> VerifyReport {
    let verification = AccountVerification(
      account: account, root: root, options: options, witness: witness, factory: factory,
      observer: observer, interrupt: interrupt)
    return await onOwnThread {
      let report = verification.run()
      // What could not be looked at tells nothing.
      if report.mailboxesChecked > 0, [0, 1].contains(report.exitStatus) {
        witness.write(AccountStatus.LastVerify(report, options))
      }
      return report
    }
  }
}

/// Every mailbox: what the server lists, what the state tells, what the files hold. Blocks.
struct AccountVerification {
  let account: AccountSettings
  let root: String
  let options: VerifyOptions
  let witness: TreeWitness
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
    try TreeWitness.checkForgotten(path: path)
    guard FileManager.default.fileExists(atPath: path + "/.mirror/state.db") else {
      try witness.checkMount(path: path, root: root)
      try witness.checkTree(path: path)
      throw PushError.neverPulled
    }
    let tree = try AccountTree.openExisting(path: path)
    let store = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { store.shut() }
    observer.entered(.connecting, account: account.name)
    let session = try factory.openSession()
    defer { session.logout() }
    let records = try store.mailboxes()
    let unkeepable = try store.pushRefusals().unkeepable
    let catalogue = MailboxCatalogue(
      listings: MailboxNaming(session.names, records: records).named(try session.discover()),
      records: records, folders: account.sync.folders)
    let policy = MaildirPolicy(account.sync)
    let connection = RemoteConnection(session: session, labels: catalogue.labels, policy: policy)
    report.findings += catalogue.doubled.filter(isWanted).map(\.doubledProblem)
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
        record: record, store: store, tree: tree, policy: policy,
        unkeepable: unkeepable[record.id] ?? UnkeepableMarks(), options: options)
      try connection.withMailbox(MailboxTarget(record)) {
        try check.verify($0, comparesSizes: !session.quirks.contains(.wrongSizes))
      }
      report.messagesChecked += check.checked
      report.stubs += check.stubs
      report.sizesCompared += check.content.sizesCompared
      report.headersCompared += check.content.headersCompared
      report.bodiesCompared += check.content.bodiesCompared
      report.findings += check.findings
    }
    for record in try catalogue.vanished.filter({ try !$0.isGone || $0.hasFolder(in: tree) }) {
      report.findings.append(
        RunProblem(
          mailbox: record.name, problem: "Only here: the server has no such mailbox.",
          exitStatus: .done))
    }
  }

  private func isWanted(_ listing: MailboxListing) -> Bool {
    options.mailboxes.isEmpty
      || options.mailboxes.contains { FolderPatterns.pattern($0, matches: listing.name) }
  }
}

extension AccountStatus.LastVerify {
  private static let mostFindings = 20

  fileprivate init(_ report: VerifyReport, _ options: VerifyOptions) {
    let differences = report.findings.filter { $0.exitStatus != 0 }
    self.init(
      time: Date(), mailboxes: options.mailboxes, messagesChecked: report.messagesChecked,
      differences: differences.count, findings: Array(differences.prefix(Self.mostFindings)))
  }
}
