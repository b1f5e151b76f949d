import GRDB
import MIME
import MailIndex
import SafeHTML
import Warnings

extension WarningFinder {
  /// What the reader of a message's bytes is to be warned of.
  ///
  /// - Parameters:
  ///   - pages: all of the message's HTML, as far as it was examined.
  ///   - isWhole: whether these are all bytes of the file.
  static func look(
    at bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, pages: [SafePage],
    people: KnownPeople, authorities: [String], isWhole: Bool = true
  ) -> (warnings: [MessageWarning], facts: MessageFacts) {
    var facts = MessageFacts(bytes, structure, authorities: authorities)
    // Of a part of its body the signature tells nothing.
    if !isWhole { facts.body = .unsigned }
    for page in pages { facts.add(page) }
    return (warnings(of: facts, people: people), facts)
  }
}

/// Examines messages for the index, as `show` does for its reader.
package struct MailExamination: MailExaminer {
  private let root: String
  private let providers: ProviderNames

  /// Of larger files the beginning has to do.
  private static let most = 16 << 20  // bytes

  package init(root: String, providers: ProviderNames) {
    (self.root, self.providers) = (root, providers)
  }

  package func warnings(of message: Int64, _ db: Database) throws -> [FoundWarning] {
    guard let hit = try HitReader(db).hits([message]).first,
      let file = try? MessageBytes.load(hit.paths(root: root), limit: Self.most)
    else { return [] }
    return try file.bytes.withUnsafeBytes { bytes in
      let structure = MessageStructure.parse(bytes)
      let found = WarningFinder.look(
        at: bytes, structure, pages: PageRendering.pages(of: bytes, structure),
        people: KnownPeople(db, before: hit.date),
        authorities: try providers.names(for: bytes, hit, db), isWhole: bytes.count < Self.most)
      return found.warnings.map { FoundWarning(kind: $0.kind.rawValue, detail: $0.text) }
    }
  }
}
