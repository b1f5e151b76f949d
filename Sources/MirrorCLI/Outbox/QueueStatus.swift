import LocalChanges
import MailCore
import Outbox
import Queue
import Sorting
import Sync
import SyncPlan

/// An account's queue as `mirror status` tells of it.
struct QueueStatus: Encodable, Sendable {
  /// All but what is sent and done with, oldest first.
  var messages: [OutboxSummary.Message] = []
  var problems: [OutboxSummary.Problem] = []
  /// Messages that were sent, and whose copy is in no Sent mailbox yet.
  private(set) var copies = 0
  private(set) var exitStatus: Int32 = 0

  /// - Parameter account: its directory. Damage that keeps the queue from being read is a problem here.
  init(account path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let past = TreePast(root: String(path.dropLast(name.count + 1)), account: name)
    var summary =
      OutboxSummary(ifVanished: past, account: name) ?? OutboxSummary(account: name)
    do {
      for entry in try OutboxReader.entries(account: path) {
        if entry.isOnlyCopy { copies += 1 }
        if entry.isDone { continue }
        messages.append(OutboxSummary.Message(entry))
        // An attempt that failed is no more than a state; what waits for the user is a problem.
        guard let concern = entry.concern else { continue }
        let isUnderWay = entry.state == .queued || entry.state == .sending
        if isUnderWay, !entry.phase.hasUnknown { continue }
        summary.add(concern, at: entry.id.text)
      }
    } catch {
      summary.add(error.explanation)
    }
    problems = summary.problems
    exitStatus = summary.exitStatus
  }

  func count(_ state: QueueState) -> Int { messages.count { $0.state == state.rawValue } }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(messages)
  }
}

/// An account's tree and its queue: the object of `status --format json`.
struct WholeStatus: Encodable, Sendable {
  var account: AccountStatus
  var queue: QueueStatus
  /// Nil where nobody watches it.
  var watch: WatchWords?
  /// Why the index is no help offline; nil where it is up to date.
  var indexHindrance: String?
  /// Texts that lie outside of the folders, and nowhere else.
  var setAside = FilesAside(place: "")

  /// Why it would be no good to go offline now.
  var hindrances: [String] { account.hindrances + [indexHindrance].compactMap(\.self) }
  /// Whether a person can go offline: history whole, nothing failed, index up to date.
  var isReady: Bool { hindrances.isEmpty }

  private enum CodingKeys: String, CodingKey {
    case queue, problems, watch, ready, hindrances, setAside
  }

  func encode(to encoder: any Encoder) throws {
    var told = account
    told.problems += queue.problems.map {
      RunProblem(
        problem: "\($0.subject): \($0.problem)", remedy: $0.remedy,
        exitStatus: ExitStatus(rawValue: queue.exitStatus) ?? .inPart)
    }
    told.problems += setAside.notes
    try told.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(watch, forKey: .watch)
    try container.encode(isReady, forKey: .ready)
    try container.encode(hindrances, forKey: .hindrances)
    try container.encode(setAside.texts.count, forKey: .setAside)
    try container.encode(queue, forKey: .queue)
  }
}
