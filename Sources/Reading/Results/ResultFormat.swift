import ArgumentParser

/// The `--format` of the reading commands.
package enum ResultFormat: Sendable, Equatable, ExpressibleByArgument {
  case text, json, jsonl
  /// Absolute paths, one a line.
  case paths
  /// What `show` and queries take, one a line.
  case ids
  /// A directory that becomes a Maildir of symbolic links.
  case maildir(String)

  package var isText: Bool { self == .text }

  package init?(argument: String) {
    switch argument {
    case "text": self = .text
    case "json": self = .json
    case "jsonl": self = .jsonl
    case "paths": self = .paths
    case "ids": self = .ids
    default:
      guard argument.hasPrefix("maildir="), argument.utf8.count > 8 else { return nil }
      self = .maildir(String(argument.dropFirst(8)))
    }
  }

  package static let allValueStrings = ["text", "json", "jsonl", "paths", "ids", "maildir=DIR"]

  package var defaultValueDescription: String { "text" }
}
