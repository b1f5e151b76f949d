import MailCore
import MailIndex
import Maildir

/// One file of a message that a query found.
package struct ChosenFile: Sendable, Equatable {
  /// Our number of the message.
  package var message: Int64
  package var subject: String
  package var account: String
  /// Below the root.
  package var folder: FolderPath
  /// As people name it.
  package var folderName: String
  package var file: MessageFile
}

extension ChosenFile {
  /// Nil for a path that is none of a Maildir.
  init?(_ found: FoundFile, of hit: SearchHit) {
    let pieces = found.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard pieces.count >= 2, let name = pieces.last,
      let subdirectory = Subdirectory.allCases.first(where: {
        pieces[pieces.count - 2].elementsEqual($0.name.utf8)
      }),
      let folder = FolderPath(
        components: pieces.dropLast(2).map { String(decoding: $0, as: UTF8.self) })
    else { return nil }
    self.init(
      message: hit.id, subject: hit.subject, account: hit.account, folder: folder,
      folderName: found.folder, file: MessageFile(subdirectory: subdirectory, name: Array(name)))
  }
}

/// Which files of the messages found are meant.
package enum FileChoice {
  /// All files; where the query names folders, only those that lie in one of them.
  package static func all(of hits: [SearchHit], query: QueryNode? = nil) -> [ChosenFile] {
    let patterns = query.map(folders) ?? []
    return hits.flatMap { hit in
      hit.files.compactMap { found -> ChosenFile? in
        guard
          patterns.isEmpty || patterns.contains(where: { isMeant($0, found.folder, hit.account) })
        else {
          return nil
        }
        return ChosenFile(found, of: hit)
      }
    }
  }

  /// Folders that a message must lie in: those of the query that nothing negates.
  private static func folders(in node: QueryNode) -> [NamePattern] {
    switch node.kind {
    case .folder(let pattern): [pattern]
    case .and(let nodes), .or(let nodes): nodes.flatMap(folders)
    default: []
    }
  }

  /// As the search takes `folder:`.
  private static func isMeant(_ pattern: NamePattern, _ folder: String, _ account: String) -> Bool {
    pattern.matchesEnd(of: folder, separator: "/")
      || pattern.matchesWhole("\(account)/\(folder)", separator: "/")
  }
}
