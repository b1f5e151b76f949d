import Foundation

/// notmuch over somebody's tree, with its database elsewhere: the oracle for threads and searches.
package final class NotmuchProgram: Sendable {
  private let directory: TemporaryDirectory
  private let root: String

  package static var isInstalled: Bool { findProgram("notmuch") != nil }

  package init(root: String) throws {
    self.root = root
    directory = try TemporaryDirectory("notmuch")
    try makeDirectory(directory.path + "/database")
    try writeFile(
      directory.path + "/config",
      """
      [database]
      path=\(directory.path)/database
      mail_root=\(root)
      [user]
      name=a
      primary_email=a@example.org
      [new]
      tags=
      ignore=.mirror
      [maildir]
      synchronize_flags=true

      """)
  }

  private var environment: [String: String] {
    [
      "NOTMUCH_CONFIG": directory.path + "/config", "HOME": directory.path,
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
      "TZ": "UTC",
    ]
  }

  package func update() throws {
    try runSuccessfully(["notmuch", "new", "--quiet"], environment: environment, limit: 600)
  }

  /// Message-IDs that a search finds, sorted.
  package func search(_ query: String) throws -> [String] {
    let outcome = try runSuccessfully(
      ["notmuch", "search", "--output=messages", "--", query], environment: environment)
    return outcome.outputText.split(separator: "\n").map { String($0.dropFirst(3)) }.sorted()
  }

  /// The Message-IDs of every conversation.
  package func threads() throws -> [[String]] {
    let outcome = try runSuccessfully(
      ["notmuch", "search", "--format=json", "--output=summary", "*"], environment: environment,
      limit: 600)
    let summaries = try JSONDecoder().decode([Summary].self, from: Data(outcome.output))
    return summaries.map { summary in
      summary.query.compactMap { $0 }.flatMap { Self.identities($0) }
    }
  }

  private struct Summary: Decodable { var query: [String?] }

  /// `id:a@b id:"c d@e"`, quotes doubled within quotes.
  private static func identities(_ query: String) -> [String] {
    var found: [String] = []
    var rest = Substring(query)
    while let start = rest.range(of: "id:") {
      rest = rest[start.upperBound...]
      guard rest.first == "\"" else {
        found.append(String(rest.prefix { $0 != " " }))
        rest = rest.drop { $0 != " " }
        continue
      }
      var identity = ""
      rest = rest.dropFirst()
      while let character = rest.popFirst() {
        if character == "\"" {
          guard rest.first == "\"" else { break }
          rest = rest.dropFirst()
        }
        identity.append(character)
      }
      found.append(identity)
    }
    return found
  }
}
