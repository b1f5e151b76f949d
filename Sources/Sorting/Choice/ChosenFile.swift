import MailCore
import MailIndex
import Maildir

/// One file of a message that a query found, and that is meant.
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
  /// All files of the message: this one, and those that are not meant, too.
  package var copies: [MessageCopy]
  /// The query names its folder.
  package var isNamed = false
}

/// One file of a message, wherever it lies.
package struct MessageCopy: Sendable, Equatable {
  /// Below the root.
  package var folder: FolderPath
  /// As people name it.
  package var folderName: String
  package var file: MessageFile
}

extension MessageCopy {
  /// Nil for a path that is none of a Maildir.
  init?(_ found: FoundFile) {
    let pieces = found.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard pieces.count >= 2, let name = pieces.last,
      let subdirectory = Subdirectory.allCases.first(where: {
        pieces[pieces.count - 2].elementsEqual($0.name.utf8)
      }),
      let folder = FolderPath(
        components: pieces.dropLast(2).map { String(decoding: $0, as: UTF8.self) })
    else { return nil }
    self.init(
      folder: folder, folderName: found.folder,
      file: MessageFile(subdirectory: subdirectory, name: Array(name)))
  }
}

extension ChosenFile {
  init(_ copy: MessageCopy, of hit: SearchHit, _ copies: [MessageCopy]) {
    self.init(
      message: hit.id, subject: hit.subject, account: hit.account, folder: copy.folder,
      folderName: copy.folderName, file: copy.file, copies: copies)
  }
}

/// Which files of the messages found are meant.
package enum FileChoice {
  package static func all(of hits: [SearchHit]) -> [ChosenFile] {
    hits.flatMap { files(of: $0, in: nil) }
  }

  /// All files; where the query names folders for a message, only those that lie in one of them.
  ///
  /// - Parameter matching: the messages that a part of the query finds by itself.
  package static func all(
    of hits: [SearchHit], query: QueryNode, matching: (QueryNode) throws -> Set<Int64>
  ) rethrows -> [ChosenFile] {
    let named = try NamedFolders(query, matching: matching)
    return hits.flatMap { files(of: $0, in: named.patterns(for: $0.id)) }
  }

  private static func files(of hit: SearchHit, in patterns: [NamePattern]?) -> [ChosenFile] {
    let copies = hit.files.compactMap(MessageCopy.init)
    return copies.filter { copy in
      patterns?.contains { isMeant($0, copy.folderName, hit.account) } ?? true
    }.map { copy in
      var chosen = ChosenFile(copy, of: hit, copies)
      chosen.isNamed = patterns != nil
      return chosen
    }
  }

  /// As the search takes `folder:`.
  private static func isMeant(_ pattern: NamePattern, _ folder: String, _ account: String) -> Bool {
    pattern.matchesEnd(of: folder, separator: "/")
      || pattern.matchesWhole("\(account)/\(folder)", separator: "/")
  }
}
