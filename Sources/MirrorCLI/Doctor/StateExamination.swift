import CLISupport
import Foundation
import MailCore
import Sync

/// What mirror keeps beside an account's mail: `state.db`, its backup, and what the last run said.
struct StateExamination {
  /// The account's.
  let directory: String
  /// Read from the state and the tree; nil where neither can be.
  var status: AccountStatus?
  var now = Date()
  /// Looks at all pages of a database.
  var health: (String) -> StateHealth = { StateHealth.of($0) }

  private var control: String { directory + "/.mirror" }
  /// More would hide the rest.
  private static let limit = 10

  func findings() -> [Finding] {
    guard access(control, F_OK) == 0 else {
      return [
        .notice(
          "state", "\(directory) holds mail, but no state of ours.",
          "The next pull adopts what lies there, without downloading it again.")
      ]
    }
    let path = control + "/state.db"
    guard access(path, F_OK) == 0 else {
      return [
        .notice(
          "state", "\(path) is missing.", "The next pull rebuilds it from the backup or the files.")
      ]
    }
    guard isDatabase(path) else {
      return [
        .wrong(
          "state", "\(path) is damaged.", "Pull: it is rebuilt from the backup or the files.",
          .badData)
      ]
    }
    switch health(path) {
    case .damaged(let words):
      return [torn(path, words), backup(control + "/state.backup.db")].compactMap(\.self)
    case .unknown(let words):
      return [.notice("state", "\(path): \(words).")] + rest(path)
    case .sound: return rest(path)
    }
  }

  /// A run sets such a file aside once it meets the place, which may be late: better at once.
  private func torn(_ path: String, _ words: String) -> Finding {
    let hasBackup = isDatabase(control + "/state.backup.db")
    return .wrong(
      "state", "\(path) is damaged (\(words.visible)).",
      "mv '\(path)' '\(path).damaged' (and its -wal, if there is one), then pull: it is rebuilt from "
        + (hasBackup ? "state.backup.db" : "the files")
        + ", and matched with the server; nothing is downloaded again.", .badData)
  }

  private func rest(_ path: String) -> [Finding] {
    content(path) + [exposure(), backup(control + "/state.backup.db")].compactMap(\.self)
  }

  private func content(_ path: String) -> [Finding] {
    guard let status else { return [.fine("state", "\(path) is a database")] }
    let wrong = status.problems.filter { $0.exitStatus != 0 }
    var findings: [Finding] = []
    if !wrong.contains(where: { $0.mailbox == nil }) {
      let messages = status.mailboxes.reduce(0) { $0 + $1.messages }
      findings.append(
        .fine(
          "state",
          "\(path) is sound: \(Quantities.count(messages, "message"))"
            + " in \(Quantities.count(status.mailboxes.count, "mailbox", "mailboxes"))"))
    }
    findings += [lastRun(status.lastRun), pending(status.pending)].compactMap(\.self)
    if let onDemand = status.onDemand, onDemand.stubs > 0 {
      findings.append(
        .fine(
          "stubs",
          "\(Quantities.count(onDemand.stubs, "message")) here in part, and in a copy of the tree, too; "
            + "`mirror fill --all` makes them whole"))
    }
    findings += wrong.prefix(Self.limit).map { problem in
      let place = problem.mailbox.map { "\($0): " } ?? ""
      let words = place + problem.problem
      return .wrong(
        "state", words, problem.remedy, ExitStatus(rawValue: problem.exitStatus) ?? .inPart)
    }
    if wrong.count > Self.limit {
      findings.append(
        .wrong(
          "state", "there are \(wrong.count - Self.limit) more problems.",
          "mirror status lists them."))
    }
    return findings
  }

  private func lastRun(_ run: AccountStatus.LastRun?) -> Finding? {
    guard let run else { return nil }
    let age = now.timeIntervalSince(run.ended ?? run.started)
    guard age > -86_400 else {
      return .notice(
        "clock", "the last run was in the future.", "Check the date of this machine.")
    }
    let words = "\(Quantities.seconds(max(0, age))) ago"
    if run.ended == nil {
      return .notice(
        "last-run", "began \(words) and has not ended.",
        "If it is not at work, the next one goes on where it stopped.")
    }
    guard run.exitStatus == 0 else {
      return .notice(
        "last-run", "\(words), with exit status \(run.exitStatus).", "mirror status tells more.")
    }
    return .fine("last-run", words)
  }

  private func pending(_ pending: AccountStatus.Pending) -> Finding? {
    let count =
      pending.flags + pending.keywords + pending.moves + pending.deletions + pending.uploads
      + pending.copies + pending.creations + pending.renames
    guard count > 0 else { return nil }
    return .fine(
      "pending", "\(Quantities.count(count, "change")) for the next push; mirror push --dry-run")
  }

  private func backup(_ path: String) -> Finding? {
    guard access(path, F_OK) == 0 else {
      return .notice(
        "state", "there is no backup of the state yet.", "Each pull that ends makes one.")
    }
    let isTorn = if case .damaged = health(path) { true } else { false }
    guard isDatabase(path), !isTorn else {
      return .wrong("state", "\(path) is damaged.", "The next pull writes a new one.", .badData)
    }
    return nil
  }

  private func exposure() -> Finding? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: control)
    guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o022 != 0 else { return nil }
    return .wrong(
      "state", "others can write into \(control).", "chmod 700 '\(control)'", .refused)
  }

  private func isDatabase(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }
}
