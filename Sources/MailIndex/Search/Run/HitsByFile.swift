import Foundation
import GRDB
import Maildir

extension IndexReader {
  /// The message that a file holds; nil where the last update saw no such file.
  ///
  /// - Parameters:
  ///   - file: as it is called now: a reader may have marked it since that update.
  ///   - folder: its path below the root.
  package func hit(ofFile file: MessageFile, in folder: String) throws(IndexError) -> SearchHit? {
    try read { db in
      let hash = file.name.withUnsafeBytes { KnownFiles.hash(file.subdirectory, $0) }
      let message =
        try Int64.fetchOne(
          db,
          sql: """
            SELECT f.message FROM mailbox AS b JOIN file AS f ON f.mailbox = b.id
            WHERE b.path = ? AND f.subdirectory = ? AND f.name_hash = ?
            """, arguments: [folder, Int64(file.subdirectory.rawValue), hash])
        // All of the folder's names: only where a reader was quicker.
        ?? Int64.fetchOne(
          db,
          sql: """
            SELECT f.message FROM mailbox AS b JOIN file AS f ON f.mailbox = b.id
            WHERE b.path = ? AND substr(CAST(f.name AS BLOB), 1, ?) = ?
            """, arguments: [folder, file.base.count, Data(file.base)])
      return try message.flatMap { try HitReader(db).hits([$0]).first }
    }
  }
}
