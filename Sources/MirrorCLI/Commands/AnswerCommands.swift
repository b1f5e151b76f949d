import ArgumentParser
import CLISupport
import Foundation
import IMAPWire
import MIME
import MailCore
import MailIndex
import Outbox
import Reading
import Settings

struct ReplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reply", abstract: "Print the template of an answer, or write and queue it.",
    discussion: """
      The template goes to whom the sender wants answers sent, quotes the message, and is what mirror sendmail -t \
      takes. With --all it goes to everybody who got the message but yourself, or to whom its Mail-Followup-To names.

      Exit status: 0 done; 1 nothing found, or the editor failed; 64 several messages found, or no recipient.
      """)

  @OptionGroup var subject: AnswerOptions
  @Flag(help: "Answer to everybody who got the message.")
  var all = false

  func run() throws {
    let composition = try Composition(subject)
    if all { composition.reportFollowUp() }
    composition.reportReplyTo(toAll: all)
    try composition.run { $0.reply(toAll: all) }
  }
}

struct ForwardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forward", abstract: "Print the template that passes a message on, or queue it.",
    discussion: """
      The template has the message's text and its attachments, and no recipient yet. With --all the message goes as \
      it is, an attachment with its whole header.

      Exit status: 0 done; 1 nothing found, or the editor failed; 64 several messages found, or no recipient.
      """)

  @OptionGroup var subject: AnswerOptions
  @Flag(help: "Pass the whole message on, as an attachment.")
  var all = false

  func run() throws {
    try Composition(subject).run { $0.forward(whole: all) }
  }
}

/// Which message it is about, and whether an editor is opened.
struct AnswerOptions: ParsableArguments {
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var format: DocumentFormat
  @Flag(help: "Open the editor ($VISUAL, $EDITOR) with it, and queue what is saved.")
  var edit = false
  @Argument(parsing: .allUnrecognized, help: "An id, or a query that finds one message.")
  var query: [String] = []
}

/// From a message to another one: printed, or edited and queued.
struct Composition {
  private let message: OneMessage
  private let configuration: Configuration?
  private let templates: MessageTemplates
  private let edits: Bool

  init(_ subject: AnswerOptions) throws {
    let message = try OneMessage.find(
      subject.query, subject.reading, format: subject.format.result)
    self.message = message
    edits = subject.edit
    configuration = try Self.configuration(subject.reading)
    let accounts = configuration?.accounts ?? []
    let answered = message.bytes.withUnsafeBytes(AnsweredMessage.init)
    let own = Set(accounts.flatMap(\.addresses).map { $0.lowercased() })
    // Who was written to answers, else whose account holds the message.
    let addressed = Answering(message: answered, own: own).addressed
    let account =
      accounts.first { account in
        account.addresses.contains { $0.lowercased() == addressed?.lowercased() }
      } ?? accounts.first { $0.name == message.document.hit.account } ?? accounts.first
    let address = addressed ?? account?.addresses.first
    templates = MessageTemplates(
      message: message, answered: answered,
      sender: address.map { MailAddress(name: account?.realName ?? "", address: $0) }, own: own)
  }

  /// Nil where no configuration was written: a template needs none.
  private static func configuration(_ options: ReadingOptions) throws -> Configuration? {
    let environment = ProcessInfo.processInfo.environment
    let path = options.config ?? Configuration.defaultPath(environment: environment)
    if options.config == nil, !FileManager.default.fileExists(atPath: path) { return nil }
    return try Configuration.load(
      path: path, environment: environment, knownQuirks: QuirkSettings.names)
  }

  /// Says whom the message's Mail-Followup-To puts in the place of others.
  func reportFollowUp() {
    let changes = templates.answering.followUpChanges
    var words: [String] = []
    if !changes.leftOut.isEmpty { words.append("leaves out " + Self.names(changes.leftOut)) }
    if !changes.added.isEmpty { words.append("adds " + Self.names(changes.added)) }
    guard !words.isEmpty else { return }
    message.session.report.problem(
      "reply", "The message's Mail-Followup-To \(words.joined(separator: ", and "))".readable + ".",
      remedy: "Without --all the answer goes to the sender; change To and Cc as you like.")
  }

  /// Says that the answer goes to an address of which the message warns.
  func reportReplyTo(toAll: Bool) {
    guard message.document.warnings.contains(where: { $0.kind == .replyToElsewhere }),
      let elsewhere = templates.answering.elsewhere(toAll: toAll)
    else { return }
    message.session.report.problem(
      "reply",
      "The answer goes to \(Self.names(elsewhere.to)), as the message's Reply-To says, and not to its sender \(Self.names(elsewhere.notTo))"
        .readable + ".",
      remedy: "Make sure that you know who that is, or change To.")
  }

  private static func names(_ people: [MailAddress]) -> String {
    let most = 8
    let rest = people.count - most
    return people.prefix(most).map(\.address).joined(separator: ", ")
      + (rest > 0 ? " and \(Quantities.count(rest, "other"))" : "")
  }

  func run(_ template: (MessageTemplates) -> Template) throws {
    let template = template(templates)
    guard edits else {
      if message.session.report.format.isText { print(template) }
      return try end(MadeAnswer(to: message, template: template.bytes))
    }
    let draft = try Draft(template.bytes)
    do {
      guard let text = try draft.edited() else {
        draft.remove()
        message.session.report.line("left as it was: nothing is queued")
        return try end(MadeAnswer(to: message))
      }
      let (account, id) = try queue(text)
      draft.remove()
      message.session.report.line("queued as \(id) for \(account)")
      try end(MadeAnswer(to: message, queued: .init(account: account, id: id)))
    } catch {
      // Its text is the user's work.
      message.session.report.problem(
        "draft", "What you wrote is kept in \(draft.path).",
        remedy: "`mirror sendmail -t < '\(draft.path)'` queues it.")
      throw error
    }
  }

  private func end(_ answer: MadeAnswer) throws {
    try message.session.report.record(answer)
    try message.session.report.document(answer)
    try message.session.end()
  }

  /// On a terminal without what could drive it; elsewhere byte for byte, for attachments are among it.
  private func print(_ template: Template) {
    let console = message.session.report.console
    guard console.outputIsTerminal else {
      return template.bytes.withUnsafeBytes { console.printResult($0) }
    }
    var writer = message.session.writer
    for line in template.bytes.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    {
      writer.line(String(decoding: line, as: UTF8.self).readableLine)
    }
    writer.end()
  }

  private func queue(_ text: [UInt8]) throws -> (account: String, id: String) {
    let environment = ProcessInfo.processInfo.environment
    guard let configuration else {
      // Says which file it looked for.
      _ = try Configuration.load(
        path: Configuration.defaultPath(environment: environment), environment: environment)
      throw CocoaError(.fileReadNoSuchFile)
    }
    var request = MessageAcceptance.Request()
    request.takesHeaderRecipients = true
    return try SendmailCommand.queue(
      text, request, configuration, temporaryDirectory: environment["TMPDIR"] ?? "/tmp")
  }
}

extension AccountSettings {
  /// The user's own, the one to write by first.
  fileprivate var addresses: [String] {
    [email, smtp?.user, imap.user].compactMap { $0 }.filter { $0.contains("@") }
  }
}
