import GRDB
import MIME
import MailIndex
import Warnings

/// By what name an account's provider says who sent a message, learned from its recent mail.
enum ProviderName {
  private static let looked = 50
  /// Bytes of a file in which the topmost fields stand.
  private static let head = 16 << 10

  /// Empty where the message carries no such word: then no file but its own is read.
  static func learned(
    for bytes: UnsafeRawBufferPointer, _ hit: SearchHit, root: String, _ db: Database
  ) throws -> [String] {
    guard topmost(bytes) != nil else { return [] }
    let recent = try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT m.id FROM message AS m JOIN account AS a ON a.id = m.account
          WHERE a.name = ? AND m.flags & 8 = 0 ORDER BY m.id DESC LIMIT ?
          """), arguments: [hit.account, looked])
    let names = try HitReader(db).hits(recent[...]).compactMap { hit -> String?? in
      guard let file = try? MessageBytes.load(hit.paths(root: root), limit: head) else {
        return nil
      }
      return .some(file.bytes.withUnsafeBytes(topmost))
    }
    return ProviderVerdict.learned(from: names).map { [$0] } ?? []
  }

  private static func topmost(_ bytes: UnsafeRawBufferPointer) -> String? {
    ProviderVerdict.topmostAuthority(
      HeaderFields(bytes, in: 0..<min(bytes.count, head)), bytes)
  }
}
