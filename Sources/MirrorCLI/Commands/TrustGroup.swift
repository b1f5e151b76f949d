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

  @OptionGroup var options: CommonOptions
  @Flag(help: "Tell what would be done, and do nothing.")
  var dryRun = false
  @Argument(help: ArgumentHelp("An address, or @ and a domain.", valueName: "address"))
  var senders: [String]

  func run() throws {
    try TrustChange(options).run { list, report in
      for sender in senders {
        let entry = try TrustedSenders.entry(sender).orThrow(TrustError.noEntry(sender))
        if list.entries.contains(entry) {
          report.line("\(entry) is trusted already")
        } else {
          list.add(entry)
          report.line("\(dryRun ? "would trust" : "trusted:") \(entry)")
        }
      }
      return (!dryRun, .done)
    }
  }
}

struct TrustRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Trust senders no longer.")

  @OptionGroup var options: CommonOptions
  @Flag(help: "Tell what would be done, and do nothing.")
  var dryRun = false
  @Argument(help: ArgumentHelp("An address, or @ and a domain.", valueName: "address"))
  var senders: [String]

  func run() throws {
    try TrustChange(options).run { list, report in
      var status = ExitStatus.done
      for sender in senders {
        let entry = try TrustedSenders.entry(sender).orThrow(TrustError.noEntry(sender))
        if list.remove(entry) {
          report.line("\(dryRun ? "would trust no longer:" : "no longer trusted:") \(entry)")
        } else {
          report.problem(entry, "is not in the list.", remedy: "`mirror trust list` prints it.")
          status = .inPart
        }
      }
      return (!dryRun, status)
    }
  }
}

struct TrustListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the trusted senders.")

  @OptionGroup var options: CommonOptions

  func run() throws {
    try TrustChange(options).run { list, report in
      for entry in list.entries {
        report.line(entry)
        try report.record(entry)
      }
      try report.document(list.entries)
      return (false, .done)
    }
  }
}

struct TrustClearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Trust nobody any longer.")

  @OptionGroup var options: CommonOptions
  @Flag(help: "Tell what would be done, and do nothing.")
  var dryRun = false

  func run() throws {
    try TrustChange(options).run { list, report in
      let count = Quantities.count(list.entries.count, "sender")
      report.line(dryRun ? "would forget \(count)" : "forgot \(count)")
      list = TrustedSenders()
      return (!dryRun, .done)
    }
  }
}

/// One look at the list, and what it is then.
private struct TrustChange {
  private let report: Report
  private let file: TrustFile

  init(_ options: CommonOptions) throws {
    report = Report(
      program: "mirror", options: options, console: Console(), environment: [:])
    file = try TrustFile()
  }

  /// - Parameter change: tells whether the list is to be written, and how the command ends.
  func run(_ change: (inout TrustedSenders, Report) throws -> (Bool, ExitStatus)) throws {
    let before = try file.read()
    var list = before
    let (isWritten, status) = try change(&list, report)
    if isWritten, list != before { try file.write(list) }
    if report.console.hasFailed { throw OutputFailure() }
    if status != .done { throw ProgramEnd(status) }
  }
}

extension Optional {
  fileprivate func orThrow(_ error: some Error) throws -> Wrapped {
    guard let self else { throw error }
    return self
  }
}
