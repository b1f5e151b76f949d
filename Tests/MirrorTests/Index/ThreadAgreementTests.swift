import Foundation
import MailTestKit
import Testing

/// Conversations by reference are those of notmuch and of Dovecot's `THREAD REFS`, pair by pair.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram)) struct ThreadAgreementTests {
  /// In thousandths of the pairs that anybody sees together.
  private static let allowed = 5

  private func conversations(_ index: IndexProgram) throws -> Partition {
    Partition(
      rows: try index.sql(
        "SELECT message_id, thread_id FROM messages WHERE message_id IS NOT NULL"))
  }

  private func expectAgreement(
    _ ours: Partition, _ theirs: Partition, messages: Int, _ location: SourceLocation
  ) {
    let result = ours.compared(with: theirs)
    #expect(ours.place.count == messages, sourceLocation: location)
    #expect(theirs.place.count == messages, sourceLocation: location)
    #expect(result.pairs > messages, "the mail has threads", sourceLocation: location)
    #expect(
      result.differing * 1000 <= result.pairs * Self.allowed,
      "\(result.differing) of \(result.pairs): \(result.examples.joined(separator: "\n"))",
      sourceLocation: location)
    print("threads: \(result.pairs) pairs, \(result.differing) differ")
  }

  @Test(.enabled(if: NotmuchProgram.isInstalled), arguments: [1, 2, 3] as [UInt64])
  func `threads by reference are those of notmuch`(seed: UInt64) throws {
    let index = try IndexProgram()
    var mail = ThreadedMail(seed: seed)
    let messages = mail.messages(900)
    try index.fill(messages, folders: ["personal/INBOX", "personal/Archive", "personal/Lists/a"])
    try index.runSuccessfully("update")
    let notmuch = try NotmuchProgram(root: index.root)
    try notmuch.update()
    try expectAgreement(
      conversations(index), Partition(notmuch.threads()), messages: messages.count,
      #_sourceLocation)
  }

  @Test(.enabled(if: Machine.hasDovecot), arguments: [4, 5] as [UInt64])
  func `threads by reference are those of dovecot`(seed: UInt64) throws {
    let index = try IndexProgram()
    var mail = ThreadedMail(seed: seed)
    let messages = mail.messages(600)
    try index.fill(messages)
    try index.runSuccessfully("update")
    let server = try DovecotServer.shared()
    let client = try server.client(DovecotServer.newUser("threads"))
    try client.append(messages)
    try expectAgreement(
      conversations(index), Partition(dovecotThreads(client)), messages: messages.count,
      #_sourceLocation)
  }

  /// `THREAD REFS` of the INBOX, its UIDs as Message-IDs.
  private func dovecotThreads(_ client: IMAPTestClient) throws -> [[String]] {
    try client.select("INBOX")
    var identities: [UInt64: String] = [:]
    for line in try client.command("UID FETCH 1:* (ENVELOPE)") {
      guard line.count >= 3, line[1].text == "FETCH", let items = line[2].list else { continue }
      for (name, value) in zip(items, items.dropFirst()) where name.text == "ENVELOPE" {
        guard
          let uid = zip(items, items.dropFirst()).first(where: { $0.0.text == "UID" })?.1.number,
          let identity = value.list?.last?.text
        else { continue }
        identities[uid] = String(identity.dropFirst().dropLast())
      }
    }
    let answer = try client.command("UID THREAD REFS UTF-8 ALL")
      .first { $0.first?.text == "THREAD" }
    func numbers(_ value: IMAPValue) -> [UInt64] {
      value.number.map { [$0] } ?? (value.list ?? []).flatMap(numbers)
    }
    return (answer ?? []).dropFirst().map { numbers($0).compactMap { identities[$0] } }
  }

  /// Real mail, where `MIRROR_CORPORA` names the folder: a development list of 2,000 messages.
  ///
  /// Two pairs of 6,025 differ: invitations to two meetings, each pair with one Thread-Index and no references.
  @Test(
    .enabled(
      if: NotmuchProgram.isInstalled && CorporaTests.folder != nil, "no corpora beside the checkout"
    ))
  func `threads of a real list are those of notmuch`() throws {
    let place = try TemporaryDirectory("list")
    try runSuccessfully([
      "tar", "xf", "\(CorporaTests.folder ?? "")/openbmc-2000.tar.gz", "-C", place.path,
    ])
    let paths = try FileManager.default.subpathsOfDirectory(atPath: place.path).sorted()
      .filter { ["eml", "txt"].contains(($0 as NSString).pathExtension) }
    let index = try IndexProgram()
    try index.fill(
      try paths.map { SampleMessage(bytes: try readFile("\(place.path)/\($0)")) })
    try index.runSuccessfully("update")
    let notmuch = try NotmuchProgram(root: index.root)
    try notmuch.update()
    // Only what references say: a thread that we joined by subject or Thread-Index is none for notmuch.
    let ours = Partition(
      rows: try index.sql(
        """
        SELECT message_id, thread_id FROM messages WHERE message_id IS NOT NULL AND thread_id NOT IN
          (SELECT thread_id FROM messages WHERE parent_source IN ('subject', 'thread-index'))
        """))
    let result = ours.compared(with: Partition(try notmuch.threads()))
    print(
      "openbmc: \(ours.place.count) messages, \(result.pairs) pairs, \(result.differing) differ")
    print(result.examples.joined(separator: "\n"))
    #expect(ours.place.count > 1800)
    #expect(
      result.differing * 1000 <= result.pairs * Self.allowed,
      "\(result.differing) of \(result.pairs): \(result.examples.joined(separator: "\n"))")
  }
}
