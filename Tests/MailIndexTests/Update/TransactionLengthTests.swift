import Foundation
import Testing

@testable import MailIndex

/// Once the first build is through, no transaction of an update is long: whoever else writes, the send queue's view
/// above all, gets in between.
@Suite struct TransactionLengthTests {
  private static let isLong = ProcessInfo.processInfo.environment["MIRROR_TEST_LONG"] != nil
  /// Messages at first, then new ones, and those that are removed.
  private static let count = isLong ? 20_000 : 3_000
  private static let additions = isLong ? [1_000, 5_000] : [500, 1_000]
  private static let removals = isLong ? 1_000 : 300

  /// What a transaction may take. The time on a processor is its own: on this machine others work, too.
  private static let most = Duration.milliseconds(100)

  private func expectShort(_ summary: IndexSummary, _ what: String) {
    let write = summary.longestWrite
    print(
      "longest transaction, \(what): \(write.processor) of a processor, \(write.elapsed) in all;",
      "the run \(summary.duration)")
    #expect(write.processor > .zero)
    #expect(write.processor < Self.most, "\(what)")
  }

  @Test func `no transaction of an update is long`() throws {
    let lab = try IndexLab()
    let mail = ManyMails(lab)
    try mail.deliver(Self.count)
    let build = try lab.update()
    print("first build: \(build.longestWrite), \(build.duration)")
    for addition in Self.additions {
      try mail.deliver(addition)
      let summary = try lab.update()
      #expect(summary.addedMessages == addition)
      expectShort(summary, "\(addition) new")
    }
    try mail.remove(Self.removals)
    let removal = try lab.update()
    #expect(removal.removedFiles == Self.removals)
    expectShort(removal, "\(Self.removals) gone")
    // All senders of a folder for sent mail are the owner's addresses, with all that hangs on that.
    try lab.move("home/Lists", to: "home/Sent")
    let renaming = try lab.update()
    #expect(renaming.renamed > Self.count / 4)
    expectShort(renaming, "folder renamed to Sent")
    var updater = IndexUpdater(root: lab.root)
    updater.ownAddresses = ["p5@example.org"]
    expectShort(try updater.run(), "another own address")
    try lab.move("home/INBOX", to: "home/Old")
    expectShort(try lab.update(), "folder renamed")
    try lab.expectSound()
    let updated = try lab.portrait()
    try lab.update(.rebuild)
    // A former owner's address stays one until the index is made anew.
    #expect(try lab.portrait().count == updated.count)
  }
}

/// Conversations of a few messages each, by many people, in three folders.
final class ManyMails {
  private let lab: IndexLab
  private var count = 0
  private var files: [String] = []
  private var state: UInt64 = 88_172_645_463_325_252

  init(_ lab: IndexLab) { self.lab = lab }

  private func random(below bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }

  func deliver(_ more: Int) throws {
    for _ in 0..<more {
      let (topic, place) = (count / 6, count % 6)
      let body = (0..<120 + random(below: 200)).map { _ in
        "word\(random(below: random(below: 40) == 0 ? 100_000 : 3_000))"
      }
      let mail = lab.mail(
        "m\(count)", subject: (place == 0 ? "" : "Re: ") + "topic \(topic)",
        from: "Person \(random(below: 300)) <p\(random(below: 300))@example.org>",
        to: "p\(random(below: 300))@example.org, me@example.org", day: 1 + topic % 28,
        replyTo: place == 0 ? nil : "m\(count - 1 - random(below: place))",
        extra: count % 9 == 0 ? "X-Keywords: nine, more\n" : "",
        body: body.joined(separator: " "))
      let path =
        "home/\(["INBOX", "Lists", "Archive"][topic % 3])/cur/\(1_700_000_000 + count).x:2,"
      files.append(path + (count % 4 == 0 ? "" : "S"))
      let (folder, file) = Self.split(files[files.count - 1])
      try lab.put(folder, file, mail)
      count += 1
    }
  }

  /// Removes files here and there.
  func remove(_ fewer: Int) throws {
    for _ in 0..<fewer { try lab.remove(files.remove(at: random(below: files.count))) }
  }

  private static func split(_ path: String) -> (folder: String, file: String) {
    let parts = path.split(separator: "/")
    return (parts.dropLast(2).joined(separator: "/"), parts.suffix(2).joined(separator: "/"))
  }
}
