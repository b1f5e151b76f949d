import CLISupport
import Foundation
import MailCore
import Queue
import Sync
import SyncPlan

/// `mirror status --format prometheus`: the figures of all accounts in the text format of metrics.
struct StatusMetrics {
  private struct Metric {
    var name: String
    var help: String
    var samples: [(labels: [(String, String)], value: Double)] = []
  }

  let text: String

  init(_ statuses: [WholeStatus], now: Date) {
    var metrics: [Metric] = []
    func add(
      _ name: String, _ help: String,
      _ samples: (WholeStatus) -> [(labels: [(String, String)], value: Double)]
    ) {
      var metric = Metric(name: "mirror_" + name, help: help)
      for status in statuses {
        metric.samples += samples(status).map { sample in
          ([("account", status.account.account)] + sample.labels, sample.value)
        }
      }
      metrics.append(metric)
    }
    func one(_ value: Double?) -> [(labels: [(String, String)], value: Double)] {
      value.map { [([], $0)] } ?? []
    }
    add("ready", "Whether all is here that one needs offline.") { one($0.isReady ? 1 : 0) }
    add("history_whole", "Whether no older mail is missing.") {
      one($0.account.history.map { $0.whole ? 1 : 0 })
    }
    add("history_known_messages", "Messages that are here or lie beyond a window.") {
      one($0.account.history.map { Double($0.known) })
    }
    add("history_messages", "Messages that the server had when it was last asked.") {
      one($0.account.history.map { Double($0.total) })
    }
    add("last_run_timestamp_seconds", "When the last run ended, or began if it was killed.") {
      one($0.account.lastRun.map { ($0.ended ?? $0.started).timeIntervalSince1970 })
    }
    add("last_run_exit_status", "How the last run ended.") {
      one($0.account.lastRun.map { Double($0.exitStatus) })
    }
    add("last_verify_timestamp_seconds", "When mirror verify last ran.") {
      one($0.account.lastVerify?.time.timeIntervalSince1970)
    }
    add("last_verify_differences", "What mirror verify last found.") {
      one($0.account.lastVerify.map { Double($0.differences) })
    }
    add("messages", "Messages here.") { status in
      status.account.mailboxes.map { ([("mailbox", $0.name)], Double($0.messages)) }
    }
    add("unread_messages", "Of these, unread ones.") { status in
      status.account.mailboxes.compactMap { mailbox in
        mailbox.unread.map { ([("mailbox", mailbox.name)], Double($0)) }
      }
    }
    add("failed_messages", "Messages and mailboxes that could not be pulled.") { status in
      status.account.mailboxes.map { ([("mailbox", $0.name)], Double($0.problems)) }
    }
    add("pending_changes", "What waits for a push.") { status in
      let pending = status.account.pending
      return [
        ("flags", pending.flags), ("keywords", pending.keywords), ("moves", pending.moves),
        ("copies", pending.copies), ("deletions", pending.deletions),
        ("uploads", pending.uploads), ("creations", pending.creations),
        ("renames", pending.renames), ("edits", pending.edits),
      ].map { ([("kind", $0.0)], Double($0.1)) }
    }
    add("queued_messages", "Messages of the send queue.") { status in
      QueueState.allCases.filter { $0 != .sent }.map {
        ([("state", $0.rawValue)], Double(status.queue.count($0)))
      }
    }
    add("problems", "What status tells of as a problem.") {
      one(Double($0.account.problems.count + $0.queue.problems.count))
    }
    add("watched", "Whether mirror watch watches the account.") { one($0.watch == nil ? 0 : 1) }
    text = metrics.filter { !$0.samples.isEmpty }.map(Self.words).joined()
  }

  private static func words(_ metric: Metric) -> String {
    var lines = ["# HELP \(metric.name) \(metric.help)", "# TYPE \(metric.name) gauge"]
    for sample in metric.samples {
      let labels = sample.labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
      lines.append("\(metric.name){\(labels)} \(number(sample.value))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.visible.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
