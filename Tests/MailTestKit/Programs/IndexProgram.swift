import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The built `mirror-index` over a tree of its own.
package final class IndexProgram: Sendable {
  private let directory: TemporaryDirectory
  package let root: String

  /// Beside `mirror`, or `MIRROR_INDEX_BIN`; nil where nobody has built it.
  package static let binary: String? = {
    if let named = ProcessInfo.processInfo.environment["MIRROR_INDEX_BIN"] { return named }
    guard let mirror = MirrorProgram.binary, let slash = mirror.lastIndex(of: "/") else {
      return nil
    }
    let path = mirror[..<slash] + "/mirror-index"
    return access(String(path), X_OK) == 0 ? String(path) : nil
  }()

  /// - Parameter root: elsewhere than in the temporary directory.
  package init(root: String? = nil) throws {
    directory = try TemporaryDirectory("index")
    self.root = root ?? directory.path + "/Mail"
    try makeDirectory(self.root)
  }

  package var home: String { directory.path }
  package var database: String { root + "/.mirror/index.db" }

  package var environment: [String: String] {
    [
      "HOME": directory.path,
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "LC_ALL": "C.UTF-8", "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  package func command(_ arguments: [String]) throws -> [String] {
    guard let binary = Self.binary else {
      throw KitError("mirror-index is not built; set MIRROR_INDEX_BIN")
    }
    let verb = arguments.prefix(1)
    return [binary] + verb + ["--root", root] + arguments.dropFirst()
  }

  /// Starts `mirror-index VERB --root ROOT …`.
  package func start(_ arguments: String...) throws -> Child {
    try Child(command(arguments), environment: environment)
  }

  @discardableResult
  package func run(_ arguments: String..., limit: Double = 300) throws -> Outcome {
    try Child(command(arguments), environment: environment).wait(limit: limit)
  }

  /// A run that has to end with 0.
  @discardableResult
  package func runSuccessfully(_ arguments: String..., limit: Double = 300) throws -> Outcome {
    let outcome = try Child(command(arguments), environment: environment).wait(limit: limit)
    guard outcome.status == 0 else {
      throw KitError("mirror-index \(arguments.joined(separator: " ")): \(outcome.summary)")
    }
    return outcome
  }

  /// Removes the index, so that the next update begins from nothing.
  package func forget() { removeTree(root + "/.mirror") }

  // MARK: - What other programs see

  /// Runs SQL with the plain `sqlite3` program: rows of columns as text.
  package func sql(_ statement: String, limit: Double = 60) throws -> [[String]] {
    let outcome = try MailTestKit.run(
      [
        "sqlite3", "-readonly", "-noheader", "-separator", "\u{1f}", "-newline", "\u{1e}",
        "-cmd", ".timeout 5000", database, statement,
      ], environment: environment, limit: limit)
    guard outcome.status == 0, outcome.errors.isEmpty else {
      throw KitError("sqlite3 \(statement): \(outcome.summary)")
    }
    return outcome.outputText.split(separator: "\u{1e}").map {
      $0.split(separator: "\u{1f}", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Message-IDs that a search finds, sorted.
  package func search(_ query: String) throws -> [String] {
    let outcome = try runSuccessfully(
      "search", "--format", "jsonl", "--limit", "1000000", "--", query)
    return try outcome.output.split(separator: 10).compactMap { line in
      try JSONDecoder().decode(Hit.self, from: Data(line)).messageID
    }.sorted()
  }

  private struct Hit: Decodable {
    var messageID: String?
    private enum CodingKeys: String, CodingKey { case messageID = "message_id" }
  }
}

// MARK: - The tree

extension IndexProgram {
  /// Puts a message where a delivery would: `folder` is relative to the root. Returns its path.
  @discardableResult
  package func deliver(
    _ message: SampleMessage, name: String, to folder: String = "personal/INBOX"
  ) throws -> String {
    for part in ["cur", "new", "tmp"] { try makeDirectories("\(root)/\(folder)/\(part)") }
    let letters = message.flags.compactMap { Self.letters[$0] }.sorted().joined()
    let place = letters.isEmpty ? "new/\(name)" : "cur/\(name):2,\(letters)"
    let path = "\(root)/\(folder)/\(place)"
    let temporary = "\(root)/\(folder)/tmp/\(name)"
    try writeFile(temporary, message.bytes.filter { $0 != 13 })
    let date = timespec(tv_sec: time_t(message.date), tv_nsec: 0)
    utimensat(AT_FDCWD, temporary, [date, date], 0)
    guard rename(temporary, path) == 0 else { throw KitError.system("rename \(path)", errno) }
    return path
  }

  /// Delivers all of them, spread over the folders in turn.
  package func fill(_ messages: [SampleMessage], folders: [String] = ["personal/INBOX"]) throws {
    for (number, message) in messages.enumerated() {
      try deliver(
        message, name: "\(message.date).\(number).test", to: folders[number % folders.count])
    }
  }

  private static let letters = [
    "\\Seen": "S", "\\Flagged": "F", "\\Answered": "R", "\\Draft": "D", "\\Deleted": "T",
    "$Forwarded": "P",
  ]

  private func makeDirectories(_ path: String) throws {
    guard !isDirectory(path) else { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeDirectories(String(path[..<slash]))
    }
    try makeDirectory(path)
  }
}
