import Foundation
import IMAPClient
import IMAPWire
import MailCore
import MailTestKit
import SASL
import Testing
import Transport

/// The session against Dovecot and Cyrus themselves, where they are installed.
struct RealServerTests {
  enum Server: String, CaseIterable, Sendable {
    case dovecot, cyrus
    var isInstalled: Bool {
      switch self {
      case .dovecot: DovecotServer.isInstalled
      case .cyrus: CyrusServer.isInstalled
      }
    }
    static var installed: [Server] { allCases.filter(\.isInstalled) }
  }

  private enum Layer { case plain, implicit, startTLS }

  private func dovecot(
    _ layer: Layer, user: String = DovecotServer.newUser(), choice: SASLChoice = .automatic,
    password: String = DovecotServer.password, without: Set<String> = [],
    known: KnownServer? = nil
  ) throws -> IMAPSession {
    let server = try DovecotServer.shared(.init(compress: true, without: without))
    let policy = TLSPolicy(caFile: server.authority)
    let port = layer == .implicit ? server.tlsPort : server.port
    var options = IMAPSessionOptions(host: "localhost", port: port, user: user)
    options.choice = choice
    options.wantsStartTLS = layer == .startTLS
    options.known = known
    return session(options, policy, layer == .implicit ? .implicit(policy) : .plain, password)
  }

  private func session(
    _ server: Server, user: String = DovecotServer.newUser(), known: KnownServer? = nil
  ) throws -> IMAPSession {
    let session: IMAPSession
    switch server {
    case .dovecot: session = try dovecot(.plain, user: user, choice: .only(.plain), known: known)
    case .cyrus:
      let port = try CyrusServer.shared().port
      var options = IMAPSessionOptions(host: "localhost", port: port, user: user)
      options.known = known
      session = self.session(options, TLSPolicy(), .plain, CyrusServer.password)
    }
    try session.open()
    return session
  }

  private func session(
    _ options: IMAPSessionOptions, _ policy: TLSPolicy, _ security: NetworkStream.Security,
    _ password: String
  ) -> IMAPSession {
    IMAPSession(
      options: options,
      connect: {
        NetworkByteStream(
          try NetworkStream.connect(
            Endpoint(host: options.host, port: options.port), security: security,
            before: .after(seconds: 10)), policy: policy)
      }, credential: { Secret(password) })
  }

  @Test(
    .enabled(if: DovecotServer.isInstalled),
    arguments: ["auto", "plain", "login", "cram-md5", "scram-sha-1", "scram-sha-256"])
  func `every mechanism logs in over TLS, and a wrong password is told`(mechanism: String) throws {
    let choice = try #require(SASLChoice(setting: mechanism))
    let good = try dovecot(.implicit, choice: choice)
    try good.open()
    try good.execute(.noop)
    good.logout()
    let wrong = try dovecot(.implicit, choice: choice, password: "wrong")
    let error = #expect(throws: IMAPError.self) { try wrong.open() }
    guard case .loginRefused = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(.enabled(if: DovecotServer.isInstalled))
  func `STARTTLS leads to the same mailboxes, compressed too`() throws {
    let session = try dovecot(.startTLS)
    try session.open()
    #expect(try session.startCompression())
    let listings = try session.discover()
    #expect(listings.contains { $0.name.isInbox && $0.status?.messages == 0 })
    let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 5 | 1) }
    let message = Array("Subject: x\r\n\r\n".utf8) + body.map { $0 & 0x3F | 0x40 }
    try session.execute(.append(to: Array("INBOX".utf8), body: .bytes(message)))
    var recorder = Recorder()
    try session.run(
      [.select(Array("INBOX".utf8)), .uidFetch(UIDSet(1...UInt32.max), .body)], handler: &recorder)
    #expect(recorder.entries.contains(.body(BodySection(kind: .whole), message)))
    session.logout()
  }

  @Test(.enabled(if: !Server.installed.isEmpty), arguments: Server.installed)
  func `a server that was met before may tell its mailboxes with the log-in`(server: Server) throws
  {
    let user = DovecotServer.newUser()
    let first = try session(server, user: user)
    try first.execute(.create(Array("Work".utf8)))
    _ = try first.discover()
    first.logout()
    // What a first session makes is listed otherwise from the next one on.
    let before = try self.session(server, user: user).discover()
    let second = try session(server, user: user, known: first.met)
    #expect(second.hasAskedAhead == (server == .dovecot) && second.met == first.met)
    let after = try second.discover()
    #expect(after == before && before.count > 1)
    #expect(second.enabled == first.enabled && second.quirks == first.quirks)
    try second.execute(.noop)
    second.logout()
  }

  @Test(.enabled(if: DovecotServer.isInstalled))
  func `what goes with the log-in goes under TLS, too, and compression begins behind it`() throws {
    let user = DovecotServer.newUser()
    for layer in [Layer.startTLS, .implicit] {
      let first = try dovecot(layer, user: user)
      try first.open()
      let before = try first.discover().map(\.name.text).sorted()
      for choice in [SASLChoice.only(.cramMD5), .only(.scramSHA256), .only(.plain)] {
        let second = try dovecot(layer, user: user, choice: choice, known: first.met)
        try second.open()
        #expect(second.hasAskedAhead == (choice != .only(.cramMD5)))
        #expect(try second.discover().map(\.name.text).sorted() == before)
        #expect(try second.startCompression())
        try second.execute(.noop)
        second.logout()
      }
      let wrong = try dovecot(
        layer, user: user, choice: .only(.plain), password: "wrong", known: first.met)
      let error = #expect(throws: IMAPError.self) { try wrong.open() }
      guard wrong.hasAskedAhead, case .loginRefused? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test(.enabled(if: !Server.installed.isEmpty), arguments: Server.installed)
  func `messages are appended, marked, searched, copied, moved and expunged`(server: Server) throws
  {
    let session = try session(server)
    _ = try session.discover()
    let target = session.names.encode("Grüße & Ähnliches")
    try session.execute(.create(target))
    let inbox = Array("INBOX".utf8)
    let message = Array("Message-ID: <a@b>\r\nSubject: x\r\n\r\nbody\r\n".utf8)
    let source = IMAPCommand.Source(size: message.count) { sink in
      for byte in message { try withUnsafeBytes(of: byte) { try sink($0) } }
    }
    let marks = MessageMarks(flags: [.seen, .flagged], keywords: ["work"])
    let appended = try session.execute(
      .append(to: inbox, marks: marks, internalDate: 837_596_665, body: .stream(source)))
    guard case .appendUID(_, let first) = appended.code, let uid = first.first else {
      Issue.record("no APPENDUID: \(appended)")
      return
    }
    for _ in 0..<2 { try session.execute(.append(to: inbox, body: .bytes(message))) }

    var recorder = Recorder()
    try session.run(
      [
        .select(inbox, sync: .condstore),
        .uidFetch(first, [.flags, .internalDate, .size, .modSeq, .body]),
        .uidSearch(.both(.uids(UIDSet(1...UInt32.max)), .header("Message-ID", "<a@b>"))),
        .uidSearch(.since(837_596_665)),
      ], handler: &recorder)
    let fetched = recorder.entries.compactMap { entry -> FetchData? in
      if case .fetched(let data, 1) = entry { data } else { nil }
    }
    #expect(fetched.first?.uid == uid)
    #expect(fetched.first?.marks == marks)
    #expect(fetched.first?.internalDate == 837_596_665)
    #expect(fetched.first?.size == Int64(message.count))
    #expect(fetched.first?.modSeq != nil)
    #expect(recorder.entries.contains(.body(BodySection(kind: .whole), message)))
    let found = recorder.entries.compactMap { entry -> Int? in
      if case .received(.search(let result), _) = entry { result.uids.count } else { nil }
    }
    #expect(found == [3, 3])

    try session.execute(.uidStore(first, .remove, flags: .flagged, keywords: ["work"]))
    let copied = try session.execute(.uidCopy(first, to: target))
    guard case .copyUID(let pairs) = copied.code else {
      Issue.record("no COPYUID: \(copied)")
      return
    }
    #expect(pairs.pairs()?.map(\.source) == [uid])
    let second = UIDSet([UID(uid.rawValue + 1)])
    var moved = Recorder()
    try session.run([.uidMove(second, to: target)], handler: &moved)
    #expect(moved.entries.contains { Self.isCopyUID($0) })
    try session.execute(.uidStore(first, .add, flags: .deleted))
    var expunged = Recorder()
    try session.run([.uidExpunge(first)], handler: &expunged)
    #expect(expunged.entries.contains(.received(.vanished(earlier: false, first), 0)))

    let listings = try session.discover()
    let box = try #require(listings.first { $0.rawName == target })
    #expect(box.name.text == "Grüße & Ähnliches")
    #expect(box.status?.messages == 2)
    try session.execute(.rename(target, to: session.names.encode("Ende")))
    let refusal = #expect(throws: IMAPError.self) { try session.execute(.select(target)) }
    guard case .noSuchMailbox = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    session.logout()
  }

  private static func isCopyUID(_ entry: Recorder.Entry) -> Bool {
    switch entry {
    case .received(.status(_, let text), _): if case .copyUID = text.code { true } else { false }
    case .completed(_, let result): if case .copyUID = result.code { true } else { false }
    default: false
    }
  }

  @Test(.enabled(if: !Server.installed.isEmpty), arguments: Server.installed)
  func `QRESYNC tells what vanished and what changed`(server: Server) throws {
    let session = try session(server)
    let inbox = Array("INBOX".utf8)
    let message = Array("Subject: x\r\n\r\n".utf8)
    for _ in 1...5 { try session.execute(.append(to: inbox, body: .bytes(message))) }
    var before = Recorder()
    try session.run([.select(inbox)], handler: &before)
    var box = SelectedMailbox()
    for case .received(let response, _) in before.entries { box.absorb(response) }
    let validity = try #require(box.uidValidity)
    let modSeq = try #require(box.highestModSeq)
    let gone = UIDSet(2...3)
    try session.execute(.uidStore(gone, .add, flags: .deleted))
    try session.execute(.uidExpunge(gone))
    try session.execute(.uidStore(UIDSet(5...5), .add, flags: .flagged))
    try session.execute(.unselect)
    var after = Recorder()
    try session.run([.select(inbox, sync: .qresync(validity, modSeq))], handler: &after)
    var vanished = UIDSet()
    var changed: [UID] = []
    for entry in after.entries {
      if case .received(.vanished(true, let set), 0) = entry { vanished = vanished.union(set) }
      if case .fetched(let data, 0) = entry, let uid = data.uid { changed.append(uid) }
    }
    #expect(vanished.intersection(UIDSet(1...5)) == gone)
    #expect(changed == [UID(5)])
    session.logout()
  }

  @Test(.enabled(if: DovecotServer.isInstalled))
  func `a server without the modern extensions is asked in the old way`() throws {
    let session = try dovecot(
      .plain,
      without: [
        "LIST-STATUS", "LIST-EXTENDED", "CONDSTORE", "QRESYNC", "ENABLE", "ESEARCH", "LITERAL+",
        "SASL-IR",
      ])
    try session.open()
    #expect(!session.capabilities.contains(.condstore))
    let listings = try session.discover()
    #expect(listings.first { $0.name.isInbox }?.status?.uidValidity != nil)
    #expect(listings.contains { $0.specialUse == [.sent] })
    try session.execute(
      .append(to: Array("INBOX".utf8), body: .bytes(Array("Subject: x\r\n\r\n".utf8))))
    session.logout()
  }
}
