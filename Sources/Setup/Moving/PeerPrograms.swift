import Foundation
import Subprocess

/// What notmuch and mu say of themselves: their databases are for them alone to read.
package enum PeerPrograms {
  /// The tree that notmuch or mu indexes; nil where the program is missing or was never set up.
  ///
  /// - Parameter file: notmuch's configuration, or mu's own directory, where that is not the usual one.
  package static func root(of tool: PeerTool, file: String?) async -> String? {
    switch tool {
    case .notmuch:
      let chosen = file.map { ["--config=\($0)"] } ?? []
      for key in ["database.mail_root", "database.path"] {
        let output = try? await run("notmuch", chosen + ["config", "get", key])
        let path = output.map(text)?.split(separator: "\n").first.map(String.init)
        if let path, path.hasPrefix("/") { return path }
      }
      return nil
    case .mu:
      let chosen = file.map { ["--muhome=\($0)"] } ?? []
      let output = try? await run("mu", ["info"] + chosen)
      return output.map(text).flatMap(muRoot)
    case .mbsync, .offlineimap: return nil
    }
  }

  /// All tags of notmuch's database.
  ///
  /// - Parameter file: its configuration, where that is not the usual one.
  package static func dump(file: String?) async throws(MovingError) -> NotmuchDump {
    let chosen = file.map { ["--config=\($0)"] } ?? []
    return try NotmuchDump(
      try await run("notmuch", chosen + ["dump", "--format=batch-tag"]), name: "notmuch dump")
  }

  /// Tags from a file; `-` is standard input.
  package static func dump(from path: String) throws(MovingError) -> NotmuchDump {
    let handle: FileHandle? =
      path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
    guard let handle else {
      throw .unreadable(path, reason: String(cString: strerror(errno)))
    }
    let data: Data?
    do { data = try handle.read(upToCount: largest + 1) } catch {
      throw .unreadable(path, reason: error.localizedDescription)
    }
    guard (data?.count ?? 0) <= largest else { throw .largeDump(path) }
    return try NotmuchDump([UInt8](data ?? Data()), name: path)
  }

  /// The row `maildir` of the table that `mu info` prints.
  static func muRoot(_ table: String) -> String? {
    for line in table.split(separator: "\n") {
      let cells = line.split { "|│┃║".contains($0) }.map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      if cells.count >= 2, cells[0] == "maildir" || cells[0] == "root-maildir",
        cells[1].hasPrefix("/")
      {
        return cells[1]
      }
    }
    return nil
  }

  private static let largest = 256 << 20

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func run(_ program: String, _ arguments: [String]) async throws(MovingError)
    -> [UInt8]
  {
    let status: TerminationStatus
    let output: [UInt8]
    let words: String
    do {
      let record = try await Subprocess.run(
        .name(program), arguments: .init(arguments), input: .none,
        output: .bytes(limit: largest), error: .string(limit: 1 << 20))
      status = record.terminationStatus
      output = record.standardOutput
      words = record.standardError
    } catch {
      throw .programNotRun(program)
    }
    guard status == .exited(0) else {
      let lines = words.split(whereSeparator: \.isNewline).suffix(3).joined(separator: " / ")
      throw .programFailed(program, words: lines.isEmpty ? "\(status)" : lines)
    }
    return output
  }
}
