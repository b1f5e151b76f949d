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
      nothing.
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "The message’s id, or the start of it.") var id: String

  func run() async throws {
    let session = try MirrorSession(common)
    let queue = try QueuedMessages(session.configuration, account: nil)
    guard let message = try queue.matching([id]).first else { throw QueueError.noSuchEntry(id) }
    let outbox = try queue.outbox(of: message.account)
    let was = message.entry.state
    // From here on no push takes it. Whatever ends this, the message is there, once.
    if was == .queued { try outbox.hold(message.entry.id, reason: "being edited", at: .now()) }
    do {
      let edit = EditedMessage(message.entry, try Self.bytes(outbox, message.entry))
      guard let text = try Self.edited(edit.text) else {
        if was == .queued { try outbox.release(message.entry.id, at: .now()) }
        session.report.line("\(message.entry.id): left as it was")
        return try session.end(with: [])
      }
      let envelope = try EditedMessage.queue(
        text, account: message.account, configuration: session.configuration,
        localNames: SendmailCommand.localNames)
      try outbox.discard(message.entry.id, at: .now())
      session.report.line("\(message.entry.id): queued anew as \(envelope.id)")
      queue.tellIndex(message.account)
    } catch {
      queue.tellIndex(message.account)
      throw error
    }
    try session.end(with: [])
  }

  private static func bytes(_ outbox: Outbox, _ entry: QueueEntry) throws -> [UInt8] {
    let reader = try outbox.message(of: entry)
    var all: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 128 * 1024)
    while case let count = try reader.read(into: &block), count > 0 { all += block[..<count] }
    return all
  }

  /// Nil where nothing was changed.
  private static func edited(_ bytes: [UInt8]) throws -> [UInt8]? {
    let directory = try FileManager.default.url(
      for: .itemReplacementDirectory, in: .userDomainMask,
      appropriateFor: URL(fileURLWithPath: NSTemporaryDirectory()), create: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appendingPathComponent("message.eml")
    try Data(bytes).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let environment = ProcessInfo.processInfo.environment
    let editor = environment["VISUAL"] ?? environment["EDITOR"] ?? "vi"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "\(editor) \"$1\"", "sh", file.path]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw EditorFailure(editor: editor) }
    let after = Array(try Data(contentsOf: file))
    return after == bytes ? nil : after
  }
}

private struct EditorFailure: Explained {
  let editor: String

  var explanation: Explanation {
    Explanation(
      problem: "The editor “\(editor.visible)” failed; the message stays as it was, and held.",
      remedy: "Set $EDITOR, or `mirror outbox release` it.", exitStatus: .inPart)
  }
}
