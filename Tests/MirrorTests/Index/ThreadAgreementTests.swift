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

  /// Returns how many pairs differ for each reason. A pair without one fails, however few they are.
  @discardableResult
  private func expectAgreement(
    _ ours: Partition, _ theirs: Partition, of messages: [SampleMessage], _ name: String,
    _ location: SourceLocation
  ) -> [ThreadReasons.Reason: Int] {
    let result = ours.compared(with: theirs)
    #expect(result.pairs > messages.count, "the mail has threads", sourceLocation: location)
    let reasons = ThreadReasons(messages)
    var listed: [ThreadReasons.Reason: [Partition.Pair]] = [:]
    for pair in result.listed {
      guard let reason = reasons.reason(pair) else {
        Issue.record("no reason: \(pair)", sourceLocation: location)
        continue
      }
      listed[reason, default: []].append(pair)
    }
    print("threads, \(name): \(result.pairs) pairs, \(result.differing) differ")
    for (reason, pairs) in listed {
      print("  \(reason.rawValue)")
      for pair in pairs { print("    \(pair)") }
    }
    #expect(
      result.differing * 1000 <= result.pairs * Self.allowed,
      "\(result.differing) of \(result.pairs)", sourceLocation: location)
    return listed.mapValues(\.count)
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
    let (ours, theirs) = (try conversations(index), Partition(try notmuch.threads()))
    #expect(ours.place.count == messages.count && theirs.place.count == messages.count)
    let reasons = expectAgreement(ours, theirs, of: messages, "notmuch", #_sourceLocation)
    #expect(reasons.isEmpty, "all of these have their references")
  }

  /// The rules that decide against notmuch, each on its few messages.
  @Test(.enabled(if: NotmuchProgram.isInstalled))
  func `every disagreement with notmuch has its reason`() throws {
    let index = try IndexProgram()
    var mail = ThreadedMail(seed: 9)
    let messages = mail.messages(900) + Self.disputed
    try index.fill(messages)
    try index.runSuccessfully("update")
    let notmuch = try NotmuchProgram(root: index.root)
    try notmuch.update()
    let reasons = expectAgreement(
      try conversations(index), Partition(try notmuch.threads()), of: messages, "disputed",
      #_sourceLocation)
    #expect(reasons == [.threadIndex: 1, .subject: 1, .junk: 15])
  }

  /// Two with one Thread-Index, a reply without references, and six that a bulk mailer gave one reference.
  private static let disputed: [SampleMessage] = {
    let index = Data(0..<22).base64EncodedString()
    let longer = Data(0..<27).base64EncodedString()
    return [
      "Subject: an invitation\nThread-Index: \(index)",
      "Subject: accepted\nThread-Index: \(longer)",
      "Subject: of nobody else", "Subject: Re: of nobody else",
    ].enumerated().map { number, fields in disputed(number, fields) }
      + (10..<16).map { number in
        disputed(number, "Subject: offer \(number)\nReferences: <constant@bulk.example>")
      }
  }()

  private static func disputed(_ number: Int, _ fields: String) -> SampleMessage {
    let date = 1_700_000_000 + Int64(number) * 60
    return SampleMessage(
      bytes: crlf(
        "From: d\(number)@example.org\nMessage-ID: <disputed\(number)@example.org>\n"
          + "Date: \(rfc5322Date(date))\n\(fields)\n\nText \(number).\n"), date: date)
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
    let (ours, theirs) = (try conversations(index), Partition(try dovecotThreads(client)))
    #expect(ours.place.count == messages.count && theirs.place.count == messages.count)
    expectAgreement(ours, theirs, of: messages, "dovecot", #_sourceLocation)
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
    let messages = try paths.map { SampleMessage(bytes: try readFile("\(place.path)/\($0)")) }
    let index = try IndexProgram()
    try index.fill(messages)
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
    #expect(ours.place.count > 1800)
    expectAgreement(
      ours, Partition(try notmuch.threads()), of: messages, "a real list", #_sourceLocation)
  }
}
