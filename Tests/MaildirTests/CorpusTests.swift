import Foundation
import MailCore
import Maildir
import Testing

/// Real and awkward messages, where the folder with the corpora is at hand (`MIRROR_CORPORA`).
struct CorpusTests {
  static let messages: [URL] = {
    guard let path = ProcessInfo.processInfo.environment["MIRROR_CORPORA"] else { return [] }
    let files = FileManager.default.enumerator(
      at: URL(fileURLWithPath: path), includingPropertiesForKeys: [.isRegularFileKey])
    return (files?.compactMap { $0 as? URL } ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
    }
  }()

  @Test(.enabled(if: !messages.isEmpty), arguments: [false, true])
  func `every message of the corpora comes back byte for byte`(asCRLF: Bool) throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(fsync: false)
    for (number, url) in Self.messages.enumerated() {
      var message = Array(try Data(contentsOf: url))
      if asCRLF {
        message = message.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : $0 == 0x0D ? [] : [$0] }
      }
      let marks = MessageMarks(flags: .seen, keywords: number % 2 == 0 ? ["k"] : .none)
      let delivered = try deliver(
        message, to: folder, marks: marks, uid: UInt32(number + 1), chunk: 1 + number % 9000)
      #expect(
        try serverBytes(delivered.file, in: folder, asCame: delivered.digest.asCame) == message,
        "\(url.path)")
      #expect(delivered.digest == digest(message), "\(url.path)")
      let file = try folder.digest(
        of: delivered.file, asCame: delivered.digest.asCame, policy: policy)
      #expect(file == delivered.digest, "\(url.path)")
      let local = try folder.localKeywords(of: delivered.file, policy: policy)
      #expect(
        local.set(beyond: delivered.digest.nativeLabels) == marks.keywords, "\(url.path)")
      try folder.unlink(delivered.file)
    }
  }
}
