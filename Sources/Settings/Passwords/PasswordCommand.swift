import MailCore
import Subprocess

/// Runs a `password-command` and takes the first line of its output; or gives a command a secret to keep.
///
/// The child stays in our process group and session, so that a pinentry finds the terminal and Ctrl-C reaches it too.
struct PasswordCommand: Sendable {
  let argv: [String]
  var timeLimit = Duration.seconds(30)
  /// Over that of this process.
  var environment: [String: String] = [:]
  var running = RunningCommands.ofProcess

  private static let outputLimit = 64 << 10
  private static let wordsLimit = 2 << 10

  /// Blocks.
  ///
  /// - Throws: `SettingsError.commandFailed`, with what the command wrote to standard error and nothing of its output.
  func secret() throws(SettingsError) -> Secret {
    let ended = try ended(input: .none, isAwaited: true)
    guard ended.line.count < Self.outputLimit else {
      throw failure("printed a first line that is too long", ended.text)
    }
    guard !ended.line.isEmpty else {
      throw failure("printed nothing on its first line", ended.text)
    }
    return Secret(ended.line)
  }

  /// Gives the command a secret on its standard input, with a line end, and waits until it has ended well. Blocks.
  ///
  /// - Throws: `SettingsError.storeFailed`, with what the command wrote to standard error.
  func keep(_ secret: Secret) throws(SettingsError) {
    guard let pipe = FilledPipe(secret.withBytes { $0 } + [UInt8(ascii: "\n")]) else {
      throw .storeFailed(program: shownProgram, reason: "could not be given it", words: "")
    }
    do throws(SettingsError) {
      // Not the library's own way to write: a command that ends without reading would end us as well.
      _ = try ended(
        input: .fileDescriptor(.init(rawValue: pipe.readEnd), closeAfterSpawningProcess: false))
      withExtendedLifetime(pipe) {}
    } catch {
      guard case .commandFailed(let program, let reason, let words) = error else { throw error }
      throw .storeFailed(program: program, reason: reason, words: words)
    }
  }

  private struct Ended: Sendable {
    var line: [UInt8]
    var words: [UInt8]
    var status: TerminationStatus

    var text: String { String(decoding: words, as: UTF8.self) }
  }

  /// How it ended by itself, and well.
  ///
  /// - Parameter isAwaited: what it says is all that it is for.
  private func ended(input: some InputProtocol & Sendable, isAwaited: Bool = false)
    throws(SettingsError) -> Ended
  {
    let end = ContinuousClock.now + timeLimit
    let isOver = { ContinuousClock.now >= end }
    let result = waiting(isCancelled: isOver) { () async -> Result<Ended, any Error> in
      do { return .success(try await run(input: input, isAwaited: isAwaited)) } catch {
        return .failure(error)
      }
    }
    if case .success(let ended) = result, ended.status == .exited(0) { return ended }
    guard !isOver() else {
      throw failure("did not end within \(timeLimit.components.seconds) seconds")
    }
    switch result {
    case .failure(let error): throw failure(Self.reason(error))
    case .success(let ended):
      switch ended.status {
      case .exited(let code): throw failure("failed with status \(code)", ended.text)
      case .signaled(let signal): throw failure("was killed by signal \(signal)", ended.text)
      }
    }
  }

  private func run(input: some InputProtocol & Sendable, isAwaited: Bool) async throws -> Ended {
    var options = PlatformOptions()
    options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
    let program = argv.first ?? ""
    let executable: Executable =
      program.contains("/") ? .path(.init(program)) : .name(program)
    let outcome = try await Subprocess.run(
      executable, arguments: .init(Array(argv.dropFirst())),
      environment: ChildEnvironment.make(over: environment), platformOptions: options,
      input: input, output: .sequence, error: .sequence
    ) { execution in
      let number = execution.processIdentifier.value
      if isAwaited { running.began(number) }
      defer { running.ended(number) }
      async let line = Self.firstLine(execution.standardOutput)
      async let words = Self.head(execution.standardError)
      return try await (line, words)
    }
    let (line, words) = outcome.closureResult
    return Ended(line: line, words: words, status: outcome.terminationStatus)
  }

  /// Without its line end. Reads on to the end, so that the command is not stopped by a closed pipe.
  private static func firstLine(_ output: SubprocessOutputSequence) async throws -> [UInt8] {
    var line: [UInt8] = []
    var whole = false
    for try await buffer in output where !whole {
      buffer.withUnsafeBytes { bytes in
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        whole = end != nil
        line += bytes[..<(end ?? bytes.endIndex)]
      }
      if line.count >= outputLimit { whole = true }
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }

  private static func head(_ output: SubprocessOutputSequence) async throws -> [UInt8] {
    var words: [UInt8] = []
    for try await buffer in output where words.count < wordsLimit {
      buffer.withUnsafeBytes { words += $0.prefix(wordsLimit - words.count) }
    }
    return words
  }

  private func failure(_ reason: String, _ words: String = "") -> SettingsError {
    let lines = words.split(whereSeparator: \.isNewline).suffix(5).joined(separator: " / ")
    return .commandFailed(program: shownProgram, reason: reason, words: lines)
  }

  /// The program alone: its arguments may tell more than a log should hold.
  private var shownProgram: String {
    guard argv.first == "/bin/sh", argv.count == 3 else { return argv.first ?? "" }
    return argv[2].split(separator: " ").first.map(String.init) ?? "sh"
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? SubprocessError else { return "could not be run" }
    return error.code == .executableNotFound ? "was not found" : "could not be run: \(error.code)"
  }
}
