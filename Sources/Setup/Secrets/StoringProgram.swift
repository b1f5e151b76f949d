import Settings
import Subprocess

/// A program that takes a secret on its standard input.
struct StoringProgram: Sendable {
  let argv: [String]
  let environment: [String: String]
  let timeLimit: Duration

  private static let wordsLimit = 16 << 10

  /// The child stays in our process group, so that a pinentry finds the terminal.
  ///
  /// - Throws: what the program wrote to standard error, and nothing of what it was given.
  func run(input: [UInt8]) async throws(SecretFailure) {
    // Filled beforehand: a program may end with words and without reading.
    guard let pipe = FilledPipe(input) else {
      throw .notGiven(to: name)
    }
    let ended: Ended?
    do {
      ended = try await limited { try await run(from: pipe.readEnd) }
      withExtendedLifetime(pipe) {}
    } catch {
      throw .notRun(name)
    }
    guard let ended else { throw .notEnded(name, seconds: timeLimit.components.seconds) }
    guard ended.status != .exited(0) else { return }
    let lines = String(decoding: ended.words, as: UTF8.self).split(whereSeparator: \.isNewline)
    let said = lines.suffix(3).joined(separator: " / ")
    throw .failed(name, said: said.isEmpty ? "\(ended.status)" : said)
  }

  private var name: String { argv.first ?? "" }

  private struct Ended: Sendable {
    var status: TerminationStatus
    var words: [UInt8]
  }

  /// Nil at the limit.
  private func limited(_ run: @escaping @Sendable () async throws -> Ended) async throws -> Ended? {
    try await withThrowingTaskGroup(of: Ended?.self) { group in
      group.addTask { try await run() }
      group.addTask {
        try await Task.sleep(for: timeLimit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next().flatMap(\.self)
    }
  }

  private func run(from readEnd: Int32) async throws -> Ended {
    var options = PlatformOptions()
    options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
    let executable: Executable = name.contains("/") ? .path(.init(name)) : .name(name)
    let record = try await Subprocess.run(
      executable, arguments: .init(Array(argv.dropFirst())),
      environment: ChildEnvironment.make(over: environment), platformOptions: options,
      input: .fileDescriptor(.init(rawValue: readEnd), closeAfterSpawningProcess: false),
      output: .discarded, error: .sequence
    ) { execution in
      var words: [UInt8] = []
      for try await buffer in execution.standardError where words.count < Self.wordsLimit {
        buffer.withUnsafeBytes { words += $0.prefix(Self.wordsLimit - words.count) }
      }
      return words
    }
    return Ended(status: record.terminationStatus, words: record.closureResult)
  }
}
