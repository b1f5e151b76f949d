import CLISupport
import Foundation
import MailCore
import Queue
import Sync
import SyncPlan

/// What `mirror status` prints of one account.
struct StatusText {
  let lines: [String]

  init(_ whole: WholeStatus, now: Date, isVerbose: Bool) {
    let status = whole.account
    var lines = ["\(status.account): \(Self.run(status, now: now))"]
    if !status.isUnread { lines.append(Self.tree(status)) }
    if let history = status.history { lines.append("  " + Self.history(history)) }
    if whole.account.history != nil || !whole.hindrances.isEmpty {
      lines.append("  " + Self.readiness(whole))
    }
    if let verify = status.lastVerify { lines.append("  " + Self.verify(verify, now: now)) }
    if let watch = whole.watch { lines.append("  " + Self.watch(watch, now: now)) }
    if let pending = Self.pending(status.pending) {
      lines.append("  waiting for a push: \(pending)")
    }
    if status.pending.edits > 0 {
      let messages = Quantities.count(status.pending.edits, "message")
      lines.append("  edited here, and no draft, so on this side only: \(messages)")
    }
    for note in whole.setAside.notes { lines.append("  " + Self.problem(note)) }
    if let onDemand = status.onDemand { lines.append("  " + Self.onDemand(onDemand)) }
    if let queue = Self.queue(whole.queue) { lines.append("  queue: \(queue)") }
    if isVerbose { lines += status.mailboxes.map { "  " + Self.mailbox($0) } }
    for problem in status.problems { lines.append("  " + Self.problem(problem)) }
    for problem in whole.queue.problems {
      lines.append("  \(problem.problem)" + (problem.remedy.map { " " + $0 } ?? ""))
    }
    self.lines = lines
  }

  private static func run(_ status: AccountStatus, now: Date) -> String {
    guard let run = status.lastRun else {
      if status.isUnread { return "it has no state that can be read" }
      return status.problems.isEmpty ? "never pulled" : "no run is known"
    }
    let seconds = now.timeIntervalSince(run.ended ?? run.started)
    let age = "\(Quantities.seconds(max(0, seconds))) ago"
    guard run.ended != nil else { return "last run began \(age) and has not ended" }
    return "last run \(age), \(outcome(run.exitStatus))"
  }

  /// `on the server: parts of 12 messages (340 MB in all); 2 messages (12 MB) come with the next pull`
  private static func onDemand(_ onDemand: AccountStatus.OnDemand) -> String {
    "on the server: parts of \(Quantities.count(onDemand.stubs, "message"))"
      + " (\(Quantities.bytes(onDemand.bytes)) in all)"
      + (onDemand.waiting == 0
        ? ""
        : "; \(Quantities.count(onDemand.waiting, "message")) (\(Quantities.bytes(onDemand.waitingBytes)))"
          + " \(onDemand.waiting == 1 ? "comes" : "come") with the next pull")
  }

  private static func outcome(_ status: Int32) -> String {
    switch ExitStatus(rawValue: status) {
    case .done: "done"
    case .inPart: "done in part"
    case .unreachable: "server unreachable"
    case .busy: "another run held the account"
    case .refused: "log-in or permission refused"
    case .interrupted: "interrupted"
    default: "exit status \(status)"
    }
  }

  private static func tree(_ status: AccountStatus) -> String {
    let messages = status.mailboxes.reduce(0) { $0 + $1.messages }
    let unread = status.mailboxes.compactMap(\.unread)
    return "  \(Quantities.count(messages, "message"))"
      + " in \(Quantities.count(status.mailboxes.count, "mailbox", "mailboxes"))"
      + (unread.isEmpty ? "" : ", \(unread.reduce(0, +)) unread")
  }

  /// `history: 5,354 of 20,000 messages are here`
  private static func history(_ history: AccountStatus.History) -> String {
    if history.whole { return "history is whole" }
    if history.known < history.total {
      return
        "history: \(Quantities.grouped(history.known)) of \(Quantities.grouped(history.total)) "
        + "messages are here; mirror pull brings the rest"
    }
    return "history is not whole yet; mirror pull brings the rest"
  }

  static func readiness(_ whole: WholeStatus) -> String {
    let stubs = whole.account.onDemand?.stubs ?? 0
    return whole.isReady
      ? "ready to go offline" + (stubs == 0 ? "" : ", but for the parts that are on the server")
      : "not ready to go offline: \(whole.hindrances.joined(separator: "; "))"
  }

  /// `verified 3 h 2 min ago: 2 differences (INBOX: …)`
  private static func verify(_ verify: AccountStatus.LastVerify, now: Date) -> String {
    let age = Quantities.seconds(max(0, now.timeIntervalSince(verify.time)))
    let places = verify.mailboxes.isEmpty ? "" : " (\(verify.mailboxes.joined(separator: ", ")))"
    let found =
      verify.differences == 0
      ? "all as on the server" : Quantities.count(verify.differences, "difference")
    let first = verify.findings.first.map { "; the first: \(problem($0))" } ?? ""
    return "verified\(places) \(age) ago: \(found)\(first)"
  }

  /// `watched by NOTIFY for 3 h; last pulled 2 min ago`
  private static func watch(_ watch: WatchWords, now: Date) -> String {
    func age(_ date: Date) -> String { Quantities.seconds(max(0, now.timeIntervalSince(date))) }
    let how =
      switch watch.state {
      case "listening":
        "watched by \(watch.by == .poll ? "polling" : watch.by?.rawValue.uppercased() ?? "")"
      case "retry-scheduled":
        "watched, but the server cannot be reached"
          + (watch.retry.map {
            "; tried again in \(Quantities.seconds(max(0, $0.timeIntervalSince(now))))"
          } ?? "")
      case "refused": "watched, but the log-in was refused"
      case "tree-gone": "watched, but the tree is not there"
      case "misconfigured": "watched, but the configuration does not allow it"
      default: "watched, and connecting"
      }
    let event = watch.lastEvent.flatMap { event in
      watch.lastEventAt.map { "; last \(event) \(age($0)) ago" }
    }
    return "\(how), for \(age(watch.changed))\(event ?? "")"
  }

  private static func pending(_ pending: AccountStatus.Pending) -> String? {
    let parts = [
      (pending.renames, "renamed folder", "renamed folders"),
      (pending.creations, "new folder", "new folders"),
      (pending.flags, "flag change", "flag changes"),
      (pending.keywords, "keyword change", "keyword changes"), (pending.moves, "move", "moves"),
      (pending.copies, "copy", "copies"), (pending.deletions, "deletion", "deletions"),
      (pending.uploads, "upload", "uploads"),
    ].filter { $0.0 > 0 }.map { Quantities.count($0.0, $0.1, $0.2) }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func queue(_ queue: QueueStatus) -> String? {
    var parts = QueueState.allCases.filter { $0 != .sent && queue.count($0) > 0 }
      .map { "\(queue.count($0)) \($0.rawValue)" }
    if queue.copies > 0 {
      parts.append(Quantities.count(queue.copies, "copy", "copies") + " for Sent waiting")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func mailbox(_ mailbox: AccountStatus.Mailbox) -> String {
    let unread = mailbox.unread.map { ", \($0) unread" } ?? ""
    return "\(mailbox.name): \(Quantities.count(mailbox.messages, "message"))\(unread)"
  }

  private static func problem(_ problem: RunProblem) -> String {
    let place = problem.mailbox.map { $0 + ": " } ?? ""
    return place + problem.problem + (problem.remedy.map { " " + $0 } ?? "")
  }
}
