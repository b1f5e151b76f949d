import ArgumentParser
import CLISupport
import Foundation
import MailCore
import Outbox
import Queue
import Settings

struct OutboxEditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a queued message in your editor.",
    discussion: """
      Opens the message in $VISUAL or $EDITOR, with its sender and recipients in two lines at the \
      top. What you save is queued anew and the old one removed; a file left as it was changes \
      nothing. What was held stays held.
      """)

  @OptionGroup var options: OutboxChangeOptions
  @Argument(help: "The message’s id, or the start of it.") var id: String
  @Option(
    name: .customLong("continue"),
    help: ArgumentHelp("Go on with the text that an edit kept.", valueName: "file"))
  var kept: String?

  func run() async throws {
    let session = try MirrorSession(options.common)
    let queue = try QueuedMessages(session.configuration, account: nil)
    guard let message = try queue.matching([id]).first else { throw QueueError.noSuchEntry(id) }
    let outbox = try queue.outbox(of: message.account, rehearses: options.dryRun)
    func tell(_ change: String) throws {
      let change = OutboxChange(
        account: message.account.name, id: message.entry.id.text, change: change,
        dryRun: options.dryRun)
      session.report.line(change.text)
      try session.report.record(change)
      try session.report.document([change])
    }
    if options.dryRun {
      _ = try outbox.beginEdit(message.entry.id, at: .now())
      try tell("opened in an editor")
      return try session.end(with: [])
    }
    // From here on no push takes it. Whatever ends this, the message is there, once.
    let entry = try outbox.beginEdit(message.entry.id, at: .now())
    defer { queue.tellIndex(message.account) }
    queue.tellIndex(message.account)
    let edited = EditedMessage(entry, try Self.bytes(outbox, entry))
    let draft = try kept.map { Draft(kept: $0, of: edited.text) } ?? Draft(edited.text)
    do {
      guard let text = try draft.edited() else {
        try outbox.cancelEdit(entry, at: .now())
        draft.remove()
        try tell("left as it was")
        return try session.end(with: [])
      }
      let new = try replace(entry, edited, with: text, outbox, message.account, session)
      draft.remove()
      try tell(Self.words(for: new))
    } catch {
      // Its text is the user's work.
      session.report.problem(
        "\(message.account.name)/outbox \(entry.id)", "What you wrote is kept in \(draft.path).",
        remedy: "`mirror outbox edit --continue '\(draft.path)' \(entry.id)` goes on with it.")
      throw error
    }
    try session.end(with: [])
  }

  private static func words(for new: QueueEntry) -> String {
    guard new.state == .held else { return "queued anew as \(new.id)" }
    let why = new.error.map { " (\($0.visible))" } ?? ""
    return "queued anew as \(new.id), and held as it was before\(why): "
      + "`mirror outbox release \(new.id)` lets it go"
  }

  /// The new message is queued before the old one goes, and held until then.
  private func replace(
    _ old: QueueEntry, _ edited: EditedMessage, with text: [UInt8], _ outbox: Outbox,
    _ account: AccountSettings, _ session: MirrorSession
  ) throws -> QueueEntry {
    let new = try edited.queue(
      text, account: account, accounts: session.configuration.accounts,
      root: session.configuration.root, localNames: SendmailCommand.localNames,
      temporaryDirectory: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    ).id
    do {
      return try outbox.finishEdit(old, replacement: new, at: .now())
    } catch {
      if case .changedMeanwhile = error { try outbox.discard(new, at: .now()) }
      throw error
    }
  }

  private static func bytes(_ outbox: Outbox, _ entry: QueueEntry) throws -> [UInt8] {
    let reader = try outbox.message(of: entry)
    var all: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 128 * 1024)
    while case let count = try reader.read(into: &block), count > 0 { all += block[..<count] }
    return all
  }
}
