import Foundation
import IMAPClient
import IMAPWire
import MailCore
import MailTestKit
import Settings
import Testing
import Transport

@testable import Remote

/// Takes what a listener reports, and waits for it.
private final class Reports: @unchecked Sendable {  // everything behind `lock`
  enum Report: Equatable {
    case by(ListeningWay)
    case hint(ServerHint)
    case alive, closedMailbox, ended
    case failed(String)
  }

  private let lock = NSCondition()
  private var all: [Report] = []
  private var taken = 0

  func take(_ event: MailboxListener.Event) {
    let report: Report =
      switch event {
      case .told(.listening(let way)): .by(way)
      case .told(.hint(let hint)): .hint(hint)
      case .told(.alive): .alive
      case .told(.closedMailbox): .closedMailbox
      case .ended(nil): .ended
      case .ended(let error?): .failed("\(error)")
      }
    lock.lock()
    all.append(report)
    lock.broadcast()
    lock.unlock()
  }

  /// Passes over what does not fit; nil where nothing that fits comes in time.
  func next(within seconds: Double = 30, _ fits: (Report) -> Bool) -> Report? {
    let end = Date(timeIntervalSinceNow: seconds)
    lock.lock()
    defer { lock.unlock() }
    while true {
      while taken < all.count {
        taken += 1
        if fits(all[taken - 1]) { return all[taken - 1] }
      }
      guard lock.wait(until: end) else { return nil }
    }
  }

  func comes(_ report: Report, within seconds: Double = 30) -> Bool {
    next(within: seconds) { $0 == report } != nil
  }

  func ends(within seconds: Double = 30) -> Bool {
    next(within: seconds) { if case .failed = $0 { true } else { $0 == .ended } } != nil
  }

  var count: Int {
    lock.lock()
    defer { lock.unlock() }
    return all.count
  }
}

private func listener(
  port: UInt16, user: String = "alice", usesNotify: Bool = true, mailbox: String = "INBOX",
  tls: TLSMode = .none, caFile: String? = nil
) -> (MailboxListener, Reports) {
  let server = ServerSettings(
    host: "localhost", port: port, tls: tls, caFile: caFile, user: user, auth: .plain,
    secret: .password(Secret("pw")))
  let reports = Reports()
  let factory = ConnectionFactory(
    server: server, credentials: Credentials(for: server), interrupt: Interrupt(), wireLog: nil)
  return (
    MailboxListener(
      factory, mailbox: MailboxName(mailbox, delimiter: "/"), usesNotify: usesNotify,
      report: { reports.take($0) }), reports
  )
}

private func raw(_ name: String) -> [UInt8] { Array(name.utf8) }

private func message(_ seed: UInt64) -> SampleMessage {
  var generator = MailGenerator(seed: seed)
  return generator.next()
}

/// Against servers themselves. Dovecot collects changes for half a second before it tells.
@Suite struct RealListeningTests {
  @Test(.enabled(if: DovecotServer.isInstalled), arguments: [TLSMode.none, .implicit])
  func `mail in any of 35 mailboxes is told of at once over one connection`(tls: TLSMode) throws {
    let server = try DovecotServer.shared()
    let user = DovecotServer.newUser()
    let client = try server.client(user)
    for number in 1...30 { try client.create("Box\(number)") }
    let (listener, reports) = listener(
      port: tls == .none ? server.port : server.tlsPort, user: user, tls: tls,
      caFile: server.authority)
    defer { listener.stop() }
    listener.start()
    listener.start()  // one connection, however often it is asked for
    #expect(reports.comes(.by(.notify)))
    var slowest = 0.0
    for (number, mailbox) in ["INBOX", "Box1", "Box30", "Sent", "Box17"].enumerated() {
      let begun = ContinuousClock.now
      try client.append(message(UInt64(number)), to: mailbox)
      #expect(reports.comes(.hint(.arrived(raw(mailbox)))), "\(mailbox)")
      slowest = max(slowest, (ContinuousClock.now - begun) / .seconds(1))
    }
    // Generous: other tests run meanwhile.
    #expect(slowest < 5)
    // Right after a word of ours: Dovecot has a hole there where a mailbox is selected.
    listener.check()
    #expect(reports.comes(.alive))
    try client.append(message(9), to: "Box2")
    #expect(reports.comes(.hint(.arrived(raw("Box2")))))
    try client.store([1], "+FLAGS", ["$Junk"], in: "Box2")
    #expect(reports.comes(.hint(.changed(raw("Box2")))))
    try client.expunge([1], in: "Box2")
    #expect(reports.comes(.hint(.changed(raw("Box2")))))
  }

  @Test(.enabled(if: DovecotServer.isInstalled))
  func `mailboxes that are made, renamed and deleted are told of`() throws {
    let server = try DovecotServer.shared()
    let user = DovecotServer.newUser()
    let client = try server.client(user)
    let (listener, reports) = listener(port: server.port, user: user)
    defer { listener.stop() }
    listener.start()
    #expect(reports.comes(.by(.notify)))
    try client.create("Entw&APw-rfe")
    #expect(reports.comes(.hint(.mailboxes)))
    try client.rename("Entw&APw-rfe", to: "Later")
    #expect(reports.comes(.hint(.renamed(from: raw("Entw&APw-rfe"), to: raw("Later")))))
    try client.delete("Later")
    #expect(reports.comes(.hint(.mailboxes)))
  }

  @Test(.enabled(if: DovecotServer.isInstalled), arguments: [["NOTIFY"], []])
  func `IDLE tells of one mailbox`(missing: [String]) throws {
    let server = try DovecotServer.shared(.init(without: Set(missing)))
    let user = DovecotServer.newUser()
    let client = try server.client(user)
    let (listener, reports) = listener(
      port: server.port, user: user, usesNotify: !missing.isEmpty, mailbox: "Sent")
    defer { listener.stop() }
    listener.start()
    #expect(reports.comes(.by(.idle)))
    try client.append(message(1), to: "Sent")
    #expect(reports.comes(.hint(.arrived(raw("Sent")))))
    listener.check()
    #expect(reports.comes(.alive))
    try client.append(message(2), to: "Sent")
    #expect(reports.comes(.hint(.arrived(raw("Sent")))))
    try client.store([1], "+FLAGS", ["\\Flagged"], in: "Sent")
    #expect(reports.comes(.hint(.changed(raw("Sent")))))
  }

  @Test(.enabled(if: DovecotServer.isInstalled))
  func `a server with neither is not listened to`() throws {
    let server = try DovecotServer.shared(.init(without: ["NOTIFY", "IDLE"]))
    let (listener, reports) = listener(port: server.port, user: DovecotServer.newUser())
    listener.start()
    #expect(reports.comes(.by(.poll)) && reports.comes(.ended))
  }

  @Test(.enabled(if: CyrusServer.isInstalled)) func `Cyrus is asked to IDLE`() throws {
    let server = try CyrusServer.shared()
    let (listener, reports) = listener(port: server.port, user: DovecotServer.newUser())
    defer { listener.stop() }
    listener.start()
    #expect(reports.comes(.by(.idle)))
    listener.check()
    #expect(reports.comes(.alive))
  }

  @Test(.enabled(if: DovecotServer.isInstalled), arguments: [true, false])
  func `a line that is held open and dead is found when it is asked, and the next one listens`(
    usesNotify: Bool
  ) throws {
    let server = try DovecotServer.shared()
    let user = DovecotServer.newUser()
    let client = try server.client(user)
    let proxy = try TCPProxy(to: server.port)
    defer { proxy.stop() }
    let (listener, reports) = listener(port: proxy.port, user: user, usesNotify: usesNotify)
    defer { listener.stop() }
    listener.start()
    #expect(reports.comes(.by(usesNotify ? .notify : .idle)))
    listener.check()
    #expect(reports.comes(.alive))
    // Told of mail, it rests: an answer that is under way already would answer the check.
    try client.append(message(0))
    #expect(reports.comes(.hint(.arrived(raw("INBOX")))))
    proxy.isHeld = true
    let begun = ContinuousClock.now
    listener.check()
    let end = reports.next { if case .failed = $0 { true } else { false } }
    guard case .failed(let words) = end else {
      Issue.record("it was not found")
      return
    }
    #expect(words.hasPrefix("timedOut(") && words.contains("reading"), "\(words)")
    #expect(ContinuousClock.now - begun > .seconds(9))
    proxy.isHeld = false
    listener.start()
    #expect(reports.comes(.by(usesNotify ? .notify : .idle)))
    try client.append(message(1))
    #expect(reports.comes(.hint(.arrived(raw("INBOX")))))
  }

  @Test(.enabled(if: DovecotServer.isInstalled))
  func `stopped, it is gone at once and says no more`() throws {
    let server = try DovecotServer.shared()
    let user = DovecotServer.newUser()
    let client = try server.client(user)
    let (listener, reports) = listener(port: server.port, user: user)
    for _ in 0..<3 {
      listener.start()
      #expect(reports.comes(.by(.notify)))
      listener.stop()
    }
    let count = reports.count
    try client.append(message(1))
    Thread.sleep(forTimeInterval: 1)
    #expect(reports.count == count)
    listener.check()
  }
}

/// Servers that change their mind.
@Suite struct ChangingServerTests {
  /// A server that logs in, and then answers as it is told: by connection, and by the command's name.
  private func server(
    offering capabilities: [String],
    _ answer: @escaping @Sendable (ScriptedServer.Session, String, String) -> Bool
  ) throws -> ScriptedServer {
    try ScriptedServer { session in
      session.send("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready")
      while let (tag, text) = session.command() {
        switch text.split(separator: " ").first {
        case "AUTHENTICATE":
          session.send(
            "\(tag) OK [CAPABILITY IMAP4rev1 \(capabilities[min(session.number, capabilities.count - 1)])] in"
          )
        case "EXAMINE":
          session.send("* 1 EXISTS")
          session.send("\(tag) OK [READ-ONLY] done")
        case "IDLE": session.send("+ idling")
        case "NOTIFY", "NOOP":
          guard answer(session, tag, text) else { return }
        default: session.send("\(tag) BAD what")
        }
      }
    }
  }

  @Test func `a server that loses NOTIFY is listened to by IDLE from the next connection on`()
    throws
  {
    let server = try server(offering: ["NOTIFY IDLE", "IDLE"]) { session, tag, _ in
      session.send("\(tag) OK done")
      session.send("* BYE new version")
      return false
    }
    let (listener, reports) = listener(port: server.port)
    defer { listener.stop() }
    listener.start()
    #expect(reports.comes(.by(.notify)) && reports.ends())
    listener.start()
    #expect(reports.comes(.by(.idle)))
  }

  @Test func `after an overflow all is looked at; NOTIFY refused then needs a new connection`()
    throws
  {
    let server = try server(offering: ["NOTIFY IDLE"]) { session, tag, _ in
      if session.number == 0 {
        session.send("\(tag) NO [NOTIFICATIONOVERFLOW] too many")
      } else {
        session.send("\(tag) OK done")
        session.send("* NO NOTIFY error, some events may have got lost")
      }
      return true
    }
    let (listener, reports) = listener(port: server.port)
    defer { listener.stop() }
    listener.start()
    #expect(reports.ends())
    listener.start()
    #expect(reports.comes(.by(.idle)))
    #expect(server.received(named: ["NOTIFY"]).count == 1)
    listener.stop()
    // It is decided anew for each connection.
    listener.start()
    #expect(reports.comes(.by(.notify)))
    #expect(
      reports.comes(.hint(.everything(reason: "NOTIFY error, some events may have got lost"))))
  }

  @Test func `a server that is not there, and one that refuses the secret, end it with an error`()
    throws
  {
    let nobody = try ScriptedServer { _ in }
    let port = nobody.port
    nobody.stop()
    let (first, unreachable) = listener(port: port)
    first.start()
    #expect(unreachable.next { if case .failed = $0 { true } else { false } } != nil)
    let strict = try ScriptedServer { session in
      session.send("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready")
      while let (tag, _) = session.command() { session.send("\(tag) NO [AUTHENTICATIONFAILED] no") }
    }
    let (second, refused) = listener(port: strict.port)
    second.start()
    let end = refused.next { if case .failed = $0 { true } else { false } }
    guard case .failed(let words) = end else {
      Issue.record("no error")
      return
    }
    #expect(words.hasPrefix("loginRefused"))
    #expect(strict.connections == 1)
  }

  @Test func `stopped while it connects to a server that says nothing, it is gone within a second`()
    throws
  {
    let mute = try ScriptedServer { session in _ = session.receive() }
    let (listener, reports) = listener(port: mute.port)
    listener.start()
    while mute.connections == 0 { Thread.sleep(forTimeInterval: 0.01) }
    listener.stop()
    Thread.sleep(forTimeInterval: 1)
    #expect(reports.count == 0)
    listener.start()
    while mute.connections == 1 { Thread.sleep(forTimeInterval: 0.01) }
    listener.stop()
  }
}
