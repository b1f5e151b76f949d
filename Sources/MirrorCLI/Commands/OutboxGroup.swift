import ArgumentParser
import CLISupport
import MailCore
import Outbox
import Queue
import Reading
import Settings

/// `mirror outbox …`: what waits to be sent, and what became of it.
struct OutboxGroup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outbox", abstract: "List and change what waits to be sent.",
    discussion: "Messages are named by their id, or by so many letters of it as no other has.",
    subcommands: [
      OutboxListCommand.self, OutboxShowCommand.self, OutboxRetryCommand.self,
      OutboxEditCommand.self, OutboxDiscardCommand.self, OutboxHoldCommand.self,
      OutboxReleaseCommand.self,
    ], defaultSubcommand: OutboxListCommand.self)
}

struct OutboxListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the queued messages.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var choice: OutboxAccountOption

  @Flag(help: "Also what was sent in the last 30 days.")
  var all = false

  func run() async throws {
    let session = try MirrorSession(common)
    let queue = try QueuedMessages(session.configuration, account: choice.account)
    let messages = try queue.all().filter { all || !$0.entry.isDone }
    let report = session.report
    for message in messages {
      for line in message.lines(showsAccount: queue.accounts.count > 1) { report.line(line) }
      if report.format == .jsonl { report.console.printResult(message.json.text + "\n") }
    }
    if report.format == .json {
      report.console.printResult(JSONValue.array(messages.map(\.json)).text + "\n")
    }
    let vanished = queue.vanished
    for problem in vanished.flatMap(\.problems) {
      report.problem(problem.subject, problem.problem, remedy: problem.remedy)
    }
    try session.end(with: vanished.map(\.exitStatus))
  }
}

struct OutboxAccountOption: ParsableArguments {
  @Option(name: [.customShort("a"), .long], help: "Of this account only.")
  var account: String?
}

struct OutboxShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a queued message and what the server said to it.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "The message’s id, or the start of it.") var id: String
  @Flag(help: "Print the message’s bytes and nothing else.") var raw = false

  func run() async throws {
    let session = try MirrorSession(common)
    let queue = try QueuedMessages(session.configuration, account: nil)
    guard let message = try queue.matching([id]).first else { throw QueueError.noSuchEntry(id) }
    let report = session.report
    if !raw {
      guard report.format.isText else {
        report.console.printResult(message.json.text + "\n")
        return try session.end(with: [])
      }
      for line in message.details { report.line(line) }
    }
    if message.entry.file != nil {
      if !raw { report.line("") }
      try Self.print(queue.outbox(of: message.account).message(of: message.entry), raw, report)
    }
    try session.end(with: [])
  }

  private static func print(_ reader: FrozenMessageReader, _ raw: Bool, _ report: Report) throws {
    var block = [UInt8](repeating: 0, count: 128 * 1024)
    var line: [UInt8] = []
    while !report.console.hasFailed, case let count = try reader.read(into: &block), count > 0 {
      if raw {
        block.withUnsafeBytes {
          report.console.printResult(UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        continue
      }
      for byte in block[..<count] {
        if byte == 0x0A {
          report.line(String(decoding: line, as: UTF8.self))
          line.removeAll(keepingCapacity: true)
        } else {
          line.append(byte)
        }
      }
    }
    if !line.isEmpty { report.line(String(decoding: line, as: UTF8.self)) }
  }
}
