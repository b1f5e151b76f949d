import Ledger
import MailCore
import Maildir

/// Pure: which unknown files are the missing messages.
///
/// Evidence is the content in canonical form (promise 5); among messages of one content ``Rules/likeness`` chooses.
package struct MoveMatcher {
  package private(set) var matched: [MovedMessage] = []
  package private(set) var missing: [MissingMessage]
  package private(set) var unknown: [UnknownFile]

  package init(missing: [MissingMessage], unknown: [UnknownFile]) {
    self.missing = missing.sorted { ($0.mailbox, $0.record.uid) < ($1.mailbox, $1.record.uid) }
    self.unknown = unknown
    guard !missing.isEmpty, !unknown.isEmpty else { return }
    for isLikely in Rules.likeness { pair(isLikely) }
  }

  /// Pairs up what has the same content and is acceptable.
  private mutating func pair(_ accepts: (FilePair) -> Bool) {
    var waiting: [ContentHash: [Int]] = [:]
    for (index, message) in missing.enumerated() where message.record.contentHash != .unknown {
      waiting[message.record.contentHash, default: []].append(index)
    }
    guard !waiting.isEmpty else { return }
    let byHeader = Dictionary(grouping: missing.indices, by: { missing[$0].record.headerHash })
    var used = Set<Int>()
    var left: [UnknownFile] = []
    for file in unknown {
      // A file may have all of a message of which the ledger knows a part, or the reverse.
      let others = (byHeader[file.digest.headerHash] ?? []).filter {
        missing[$0].record.isOtherForm(file.digest)
      }
      let candidates = ((waiting[file.digest.contentHash] ?? []) + others).filter {
        !used.contains($0) && missing[$0].record.headerHash == file.digest.headerHash
      }
      // What parts are not here cannot tell one message from another: of several the name has to.
      let needsName = candidates.count > 1 && (file.digest.isStub || !others.isEmpty)
      let choice = candidates.first {
        let pair = FilePair(message: missing[$0], file: file)
        return accepts(pair) && (!needsName || pair.isRewritten)
      }
      guard let choice else {
        left.append(file)
        continue
      }
      used.insert(choice)
      matched.append(
        MovedMessage(from: missing[choice].mailbox, record: missing[choice].record, file: file))
    }
    guard !used.isEmpty else { return }
    unknown = left
    missing = missing.enumerated().filter { !used.contains($0.offset) }.map(\.element)
  }
}
