import ArgumentParser
import CLISupport
import MailCore
import Reading

/// `mirror trust`: whose remote images `show --html` and `open` fetch without being asked.
struct TrustGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust", abstract: "Say whose remote images are always fetched.",
    discussion: """
      A trusted sender is an address, or @ and a domain: all addresses of that domain, and none of those below it. \
      The images of a message are fetched only where your provider's own word confirms the sender, and never those \
      that tell the sender who reads.

      Exit status: 0 done; 1 something to remove was not in the list; 64 neither an address nor a domain.
      """,
    subcommands: [
      TrustAddCommand.self, TrustRemoveCommand.self, TrustListCommand.self, TrustClearCommand.self,
    ])
}

struct TrustAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Trust senders.")

  @OptionGroup var change: TrustChangeOptions
  @OptionGroup var named: NamedSenders

  func run() throws {
    try change.run { list, report in
      for entry in try named.entries() {
        if list.entries.contains(entry) {
          report.line("\(entry) is trusted already")
        } else {
          list.add(entry)
          report.line("\(change.dryRun ? "would trust" : "trusted:") \(entry)")
        }
      }
      return .done
    }
  }
}

struct TrustRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Trust senders no longer.")

  @OptionGroup var change: TrustChangeOptions
  @OptionGroup var named: NamedSenders

  func run() throws {
    try change.run { list, report in
      var status = ExitStatus.done
      for entry in try named.entries() {
        if list.remove(entry) {
          report.line(
            "\(change.dryRun ? "would trust no longer:" : "no longer trusted:") \(entry)")
        } else {
          report.problem(entry, "is not in the list.", remedy: "`mirror trust list` prints it.")
          status = .inPart
        }
      }
      return status
    }
  }
}

struct TrustListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the trusted senders.")

  @OptionGroup var options: CommonOptions

  func run() throws {
    let list = try TrustFile().read()
    let report = options.trustReport
    for entry in list.entries {
      report.line(entry)
      try report.record(entry)
    }
    try report.document(list.entries)
    try report.endTrust(.done)
  }
}

struct TrustClearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Trust nobody any longer.")

  @OptionGroup var change: TrustChangeOptions

  func run() throws {
    try change.run { list, report in
      let count = Quantities.count(list.entries.count, "sender")
      report.line(change.dryRun ? "would forget \(count)" : "forgot \(count)")
      list = TrustedSenders()
      return .done
    }
  }
}

/// Whom it is about.
struct NamedSenders: ParsableArguments {
  @Argument(help: ArgumentHelp("An address, or @ and a domain.", valueName: "address"))
  var senders: [String]

  /// As the list has them.
  func entries() throws(TrustError) -> [String] {
    try senders.map { sender throws(TrustError) in
      guard let entry = TrustedSenders.entry(sender) else { throw .noEntry(sender) }
      return entry
    }
  }
}

/// What all have that change the list.
struct TrustChangeOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions
  @Flag(help: "Tell what would be done, and do nothing.")
  var dryRun = false

  /// - Parameter change: tells how the command ends.
  func run(_ change: (inout TrustedSenders, Report) throws -> ExitStatus) throws {
    let file = try TrustFile()
    let before = try file.read()
    var list = before
    let report = common.trustReport
    let status = try change(&list, report)
    if !dryRun, list != before { try file.write(list) }
    try report.endTrust(status)
  }
}

extension CommonOptions {
  fileprivate var trustReport: Report {
    Report(program: "mirror", options: self, console: Console(), environment: [:])
  }
}

extension Report {
  fileprivate func endTrust(_ status: ExitStatus) throws {
    if console.hasFailed { throw OutputFailure() }
    if status != .done { throw ProgramEnd(status) }
  }
}
