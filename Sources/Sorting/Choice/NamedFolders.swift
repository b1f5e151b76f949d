import MailIndex

/// The folders that a query names for a message, by the branches of the query that find it.
///
/// Of `(folder:INBOX is:flagged) or id:5` the first branch means a message's file in INBOX, the second all files of
/// message 5. What is negated names no folder.
struct NamedFolders {
  private indirect enum Part {
    /// Finds messages wherever they lie.
    case anywhere
    case folder(NamePattern)
    case both([Part])
    /// With the messages that each branch finds.
    case either([(branch: Part, messages: Set<Int64>)])
  }

  private let part: Part

  init(_ query: QueryNode, matching: (QueryNode) throws -> Set<Int64>) rethrows {
    part = try Self.part(query, matching)
  }

  /// Nil: all folders. None where no branch finds the message: the index changed in between.
  func patterns(for message: Int64) -> [NamePattern]? { Self.patterns(part, message) }

  private static func part(
    _ node: QueryNode, _ matching: (QueryNode) throws -> Set<Int64>
  ) rethrows -> Part {
    guard namesFolder(node) else { return .anywhere }
    switch node.kind {
    case .folder(let pattern): return .folder(pattern)
    case .and(let nodes): return .both(try nodes.map { try part($0, matching) })
    case .or(let nodes):
      let branches = try nodes.map { try part($0, matching) }
      // Folders and nothing else: a file in any of them is meant, and which branch found it is all one.
      if branches.allSatisfy({ if case .folder = $0 { true } else { false } }) {
        return .both(branches)
      }
      return .either(
        try zip(branches, nodes).map { (branch: $0, messages: try matching($1)) })
    default: return .anywhere
    }
  }

  private static func namesFolder(_ node: QueryNode) -> Bool {
    switch node.kind {
    case .folder: true
    case .and(let nodes), .or(let nodes): nodes.contains(where: namesFolder)
    default: false
    }
  }

  private static func patterns(_ part: Part, _ message: Int64) -> [NamePattern]? {
    switch part {
    case .anywhere: return nil
    case .folder(let pattern): return [pattern]
    case .both(let parts):
      let named = parts.compactMap { patterns($0, message) }
      return named.isEmpty ? nil : named.flatMap { $0 }
    case .either(let branches):
      var named: [NamePattern] = []
      for (branch, messages) in branches where messages.contains(message) {
        guard let folders = patterns(branch, message) else { return nil }
        named += folders
      }
      return named
    }
  }
}
