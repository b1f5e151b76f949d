import GRDB
import MIME
import MailIndex
import Synchronization
import Warnings

/// By what names the accounts' providers say who sent a message: as configured, else learned from their recent mail.
package final class ProviderNames: Sendable {
  private let root: String
  private let configured: [String: String]
  private let learned = Mutex<[String: [String]]>([:])

  private static let looked = 50
  /// Bytes of a file in which the topmost fields stand.
  private static let head = 16 << 10

  /// - Parameter configured: by account.
  package init(root: String, configured: [String: String]) {
    (self.root, self.configured) = (root, configured)
  }

  /// Where the message carries no such word nothing is looked up.
  func names(
    for bytes: UnsafeRawBufferPointer, _ hit: SearchHit, _ db: Database
  ) throws -> [String] {
    guard Self.topmost(bytes) != nil else { return [] }
    if let name = configured[hit.account] { return [name] }
    if let names = learned.withLock({ $0[hit.account] }) { return names }
    let names = try learn(hit.account, db)
    learned.withLock { $0[hit.account] = names }
    return names
  }

  private func learn(_ account: String, _ db: Database) throws -> [String] {
    let recent = try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT m.id FROM message AS m JOIN account AS a ON a.id = m.account
          WHERE a.name = ? AND m.flags & 8 = 0 ORDER BY m.id DESC LIMIT ?
          """), arguments: [account, Self.looked])
    let names = try HitReader(db).hits(recent[...]).compactMap { hit -> String?? in
      guard let file = try? MessageBytes.load(hit.paths(root: root), limit: Self.head) else {
        return nil
      }
      return .some(file.bytes.withUnsafeBytes(Self.topmost))
    }
    return ProviderVerdict.learned(from: names).map { [$0] } ?? []
  }

  private static func topmost(_ bytes: UnsafeRawBufferPointer) -> String? {
    ProviderVerdict.topmostAuthority(
      HeaderFields(bytes, in: 0..<min(bytes.count, head)), bytes)
  }
}
