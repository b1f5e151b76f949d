import Foundation
import Ledger
import MailCore
import Maildir
import State
import Testing

@testable import LocalChanges
@testable import Sync

struct LocalMarksTests {
  private let policy = MaildirPolicy(fsync: false)
  private let folder: LocalFolder
  private let path: String
  private let text = "Subject: one\n\nbody\n"

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    let tree = try AccountTree.open(path: path, create: true)
    let inbox = try MaildirFolder.create(
      try #require(FolderPath(text: "INBOX")), in: tree, fsync: false)
    folder = LocalFolder(folder: inbox, policy: policy)
  }

  /// A file with this content, and a record of it from before it changed.
  private func message(_ content: String) throws -> MessageRecord {
    let place = path + "/INBOX/cur/1.one:2,S"
    try Data(text.utf8).write(to: URL(fileURLWithPath: place))
    let file = MessageFile(subdirectory: .cur, name: Array("1.one:2,S".utf8))
    let digest = try folder.folder.digest(of: file, policy: policy)
    var record = MessageRecord(
      uid: UID(1), name: Array("1.one".utf8), agreed: MessageMarks(flags: .seen),
      headerHash: digest.headerHash, contentHash: digest.contentHash)
    record.size = Int64(text.utf8.count)
    try Data(content.utf8).write(to: URL(fileURLWithPath: place))
    return record
  }

  private func bring(_ record: MessageRecord, _ keywords: Keywords) throws -> MessageRecord {
    let marks = MessageMarks(flags: .seen, keywords: keywords)
    guard case .applied(let kept, _) = try folder.bring(marks, to: record) else {
      throw CancellationError()
    }
    return kept
  }

  @Test func `a rewrite that no commit followed leaves no wrong size behind`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let content = "X-Keywords: later\n" + text
    let kept = try bring(message(content), ["later"])
    #expect(kept.agreed.keywords == ["later"])
    #expect(kept.size == Int64(content.utf8.count))
    #expect(kept.traits.contains(.hasKeywordsLine))
  }

  @Test func `an edit under the keywords line stays visible`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let kept = try bring(message("X-Keywords: later\n" + text + "more\n"), ["later"])
    #expect(kept.size == Int64(text.utf8.count))
  }
}
