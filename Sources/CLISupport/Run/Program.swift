import ArgumentParser
import Dispatch
import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs a program's commands from its arguments to its exit status.
package enum Program {
  /// A command that needs no parser to be read, ready to be run; nil for all others.
  package typealias Shortcut = (_ arguments: [String]) -> (() throws -> Void)?

  /// Parses, runs and ends the process; every way out passes here.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name; nil: as it was called.
  ///   - plain: is asked first.
  package static func main<Root: ParsableCommand>(
    _ root: Root.Type, arguments: [String]? = nil, plain: Shortcut = { _ in nil }
  ) -> Never {
    signal(SIGPIPE, SIG_IGN)
    // libdispatch asks for other priorities than an ordinary user may have, and tells the system log each time.
    setenv("LIBDISPATCH_LOG", "NO", 0)
    let arguments = DashWords.protected(
      VerbOrder.normalised(arguments ?? Array(CommandLine.arguments.dropFirst())))
    if arguments == ["--version"] {
      end(Ending(status: 0, output: root.configuration.version))
    }
    if let command = plain(arguments) {
      do { try command() } catch { end(ending(of: error, root: root)) }
      end(Ending(status: 0))
    }
    do {
      switch try begun(root, arguments) {
      case nil: end(Ending(status: 0))
      case var command?:
        Task {
          do { try await command.run() } catch { end(ending(of: error, root: root)) }
          end(Ending(status: 0))
        }
        dispatchMain()
      }
    } catch {
      end(ending(of: error, root: root))
    }
  }

  /// Parses, and runs a command that needs no `await` where it was called: it is spared the threads that the others get,
  /// which wake the process each second as long as it lives.
  ///
  /// - Returns: a command that is still to be run.
  private static func begun<Root: ParsableCommand>(_ root: Root.Type, _ arguments: [String]) throws
    -> (any AsyncParsableCommand)?
  {
    var command = try root.parseAsRoot(arguments)
    if let command = command as? any AsyncParsableCommand { return command }
    try command.run()
    return nil
  }

  private static func end(_ ending: Ending) -> Never {
    let console = Console()
    if let text = ending.output { console.printResult(text + "\n") }
    if let text = ending.message { console.printMessage(text) }
    // Without the libraries' own farewell: threads that are just ending still let go of what it would free.
    fflush(nil)
    _exit(console.hasFailed && ending.status == 0 ? ExitStatus.inPart.rawValue : ending.status)
  }

  /// How a run ended, and what is still to be printed.
  package struct Ending: Sendable, Equatable {
    package var status: Int32
    package var output: String?
    package var message: String?

    package init(status: Int32, output: String? = nil, message: String? = nil) {
      self.status = status
      self.output = output
      self.message = message
    }
  }

  /// Everything but the printing and the end of the process.
  package static func run<Root: ParsableCommand>(_ root: Root.Type, arguments: [String]) async
    -> Ending
  {
    do {
      var command = try begun(root, arguments)
      try await command?.run()
      return Ending(status: 0)
    } catch {
      return ending(of: error, root: root)
    }
  }

  private static func ending<Root: ParsableCommand>(of error: any Error, root: Root.Type) -> Ending
  {
    switch error {
    case let ended as ProgramEnd: Ending(status: ended.status)
    case let error as any Explained:
      ending(explained: error, program: root.configuration.commandName ?? "mirror")
    default: ending(usage: error, root: root)
    }
  }

  private static func ending(explained error: any Explained, program: String) -> Ending {
    let words = error.explanation
    let remedy = words.remedy.map { " " + $0.visible } ?? ""
    return Ending(
      status: words.exitStatus.rawValue, message: "\(program): \(words.problem.visible)\(remedy)")
  }

  /// Help and version are results; everything else that the parser says is a usage error (64).
  private static func ending<Root: ParsableCommand>(usage error: any Error, root: Root.Type)
    -> Ending
  {
    let status = root.exitCode(for: error).rawValue
    let text = root.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).visible }.joined(separator: "\n")
    if status == 0 { return Ending(status: 0, output: text.isEmpty ? nil : text) }
    return Ending(status: status, message: text.isEmpty ? nil : text)
  }
}

/// Ends a program whose command has already said everything.
package struct ProgramEnd: Error {
  package let status: Int32

  package init(status: Int32) { self.status = status }
  package init(_ status: ExitStatus) { self.status = status.rawValue }
}
