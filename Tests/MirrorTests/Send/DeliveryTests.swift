import Foundation
import MailTestKit
import Testing

/// `mirror sendmail` and `mirror push` against Postfix and Exim; what arrives is read from Dovecot.
@Suite(.enabled(if: SendScenario.isPossible)) struct DeliveryTests {
  /// Without what servers add at the top.
  private func content(_ message: ServerMessage) -> String {
    let text = String(decoding: message.bytes, as: UTF8.self)
    guard let start = text.range(of: "Subject:") else { return text }
    return String(text[start.lowerBound...])
  }

  @Test(arguments: SendScenario.installed, SendScenario.Encryption.allCases)
  func `a message arrives as it was queued, and its copy lies in Sent once`(
    software: SendScenario.Software, encryption: SendScenario.Encryption
  ) throws {
    let send = try SendScenario(encryption, on: software)
    let bob = SendScenario.newUser()
    let body = "Grüße\n.\n..\nFrom here\n" + String(repeating: "line\n", count: 2000)
    let message = """
      Subject: Ärger
      From: Alice <\(send.user)@example.org>
      To: \(bob)@example.org
      Date: Mon, 1 Jan 2024 00:00:00 +0000
      Message-ID: <\(bob)@test>
      MIME-Version: 1.0
      Content-Type: text/plain; charset=utf-8
      Content-Transfer-Encoding: 8bit

      \(body)
      """
    let queued = try send.sendmail(message, "-oi", "-t")
    #expect(queued.status == 0, "\(queued.summary)")
    let pushed = try send.push()
    #expect(pushed.status == 0, "\(pushed.summary)\n\(send.server.log.suffix(3000))")
    let arrived = try send.server.arrived(for: bob, atLeast: 1)
    #expect(arrived.count == 1)
    let sent = try send.server.dovecot.client(send.user).messages(in: "Sent")
    #expect(sent.count == 1)
    let expected = message.replacing("\n", with: "\r\n")
      .replacing("Subject: Ärger", with: "Subject: =?utf-8?q?=C3=84rger?=")
    #expect(arrived.first.map(content) == expected)
    #expect(sent.first.map(content) == expected)
    #expect(sent.first?.flags.contains("\\Seen") == true)
    #expect(try send.push().status == 0)
    try send.server.drain()
    #expect(try send.server.arrived(for: bob, atLeast: 1).count == 1)
    #expect(try send.server.dovecot.client(send.user).messages(in: "Sent").count == 1)
    #expect(try send.outbox().isEmpty)
    #expect(try send.outbox("--all").first?["state"] as? String == "sent")
  }

  @Test(arguments: SendScenario.installed)
  func `queued offline, delivered later, each once and in order`(software: SendScenario.Software)
    throws
  {
    let send = try SendScenario(on: software)
    let bob = SendScenario.newUser()
    for number in 1...20 {
      let outcome = try send.sendmail(
        "Subject: n\(number)\n\nx\n", "-f", "\(send.user)@example.org", "\(bob)@example.org")
      #expect(outcome.status == 0)
    }
    #expect(try send.outbox().count == 20)
    #expect(try send.push().status == 0)
    let arrived = try send.server.arrived(for: bob, atLeast: 20)
    let subjects = arrived.map { content($0).prefix { $0 != "\r\n" } }
    #expect(Set(subjects) == Set((1...20).map { "Subject: n\($0)" }))
    #expect(arrived.count == 20)
  }

  @Test(arguments: SendScenario.installed)
  func `a large message streams whole`(software: SendScenario.Software) throws {
    let send = try SendScenario(on: software)
    let bob = SendScenario.newUser()
    let message =
      "Subject: big\n\n"
      + String(repeating: "0123456789abcdefghijklmnopqrstuvwxyz\n", count: 400_000)
    #expect(try send.sendmail(message, "-i", "\(bob)@example.org").status == 0)
    let (outcome, kibibytes) = try send.mirror.peakMemory(["push"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(kibibytes < 64 * 1024)
    let arrived = try send.server.arrived(for: bob, atLeast: 1)
    #expect(
      arrived.first.map {
        content($0).hasSuffix(String(message.suffix(1000)).replacing("\n", with: "\r\n"))
      } == true)
    #expect(arrived.first.map { $0.bytes.count > message.utf8.count } == true)
  }

  @Test(arguments: SendScenario.installed)
  func `a wrong password leaves all queued`(software: SendScenario.Software) throws {
    let send = try SendScenario(on: software, smtp: "password = \"wrong\"")
    #expect(try send.sendmail("Subject: x\n\nx\n", "bob@example.org").status == 0)
    let outcome = try send.push()
    #expect(outcome.status == 77, "\(outcome.summary)")
    #expect(try send.outbox().first?["state"] as? String == "queued")
    #expect(try send.outbox().first?["attempts"] as? Int == 0)
  }

  @Test(arguments: SendScenario.installed)
  func `a certificate that does not fit sends nothing`(software: SendScenario.Software) throws {
    let send = try SendScenario(.implicit, on: software)
    try send.mirror.configure { $0.imap = $0.imap.replacing("ca-file", with: "# ca-file") }
    #expect(try send.sendmail("Subject: x\n\nx\n", "bob@example.org").status == 0)
    let outcome = try send.push()
    #expect(outcome.status == 69, "\(outcome.summary)")
    #expect(outcome.errorText.contains("certificate"))
    #expect(try send.outbox().count == 1)
  }

  @Test func `the outbox lists, holds, releases, discards by prefixes of ids`() throws {
    let send = try SendScenario()
    #expect(try send.sendmail("Subject: one\n\nx\n", "bob@example.org").status == 0)
    #expect(try send.sendmail("Subject: two\n\nx\n", "bob@example.org").status == 0)
    let ids = try send.outbox().compactMap { $0["id"] as? String }
    try #require(ids.count == 2)
    #expect(try send.mirror.run(["outbox", "hold", String(ids[0].prefix(8))]).status == 0)
    #expect(try send.outbox().first?["state"] as? String == "held")
    let text = try send.mirror.run(["outbox"]).outputText
    #expect(
      text.contains("held by hand") && text.contains("one") && text.contains("bob@example.org"))
    let shown = try send.mirror.run(["outbox", "show", ids[0]]).outputText
    #expect(shown.contains("State: held") && shown.contains("Subject: one"))
    let raw = try send.mirror.run(["outbox", "show", "--raw", ids[0]]).outputText
    #expect(raw.hasPrefix("Subject: one\n"))
    #expect(try send.push().status == 0)
    #expect(try send.outbox().count == 1)
    #expect(try send.mirror.run(["outbox", "release", ids[0]]).status == 0)
    #expect(try send.outbox().first?["state"] as? String == "queued")
    #expect(try send.mirror.run(["outbox", "discard", ids[0]]).status == 0)
    #expect(try send.outbox().isEmpty)
    #expect(try send.mirror.run(["outbox", "show", "zzzz"]).status == 64)
    #expect(try send.mirror.run(["outbox", "retry"]).status == 64)
  }

  @Test(arguments: SendScenario.installed)
  func `an edited message goes to its new recipients, and only so`(software: SendScenario.Software)
    throws
  {
    let send = try SendScenario(on: software)
    let (wrong, right) = (SendScenario.newUser(), SendScenario.newUser())
    #expect(try send.sendmail("Subject: typo\n\nx\n", "\(wrong)@example.org").status == 0)
    let id = try #require(try send.outbox().first?["id"] as? String)
    let edited = try send.mirror.run(
      ["outbox", "edit", id], more: ["EDITOR": "sed -i 's/\(wrong)/\(right)/; s/typo/right/'"])
    #expect(edited.status == 0, "\(edited.summary)")
    #expect(try send.push().status == 0)
    #expect(try send.server.arrived(for: right, atLeast: 1).count == 1)
    #expect(try send.server.arrived(for: wrong, atLeast: 0).isEmpty)
    let raw = try send.server.arrived(for: right, atLeast: 1).map {
      String(decoding: $0.bytes, as: UTF8.self)
    }
    #expect(raw.allSatisfy { !$0.contains("X-Envelope") && $0.contains("Subject: right") })
  }

  @Test(arguments: SendScenario.installed)
  func `a refused recipient is told, and the others have it`(software: SendScenario.Software) throws
  {
    let send = try SendScenario(on: software)
    let bob = SendScenario.newUser()
    #expect(
      try send.sendmail("Subject: x\n\nx\n", "\(bob)@example.org", "x@[nonsense]").status == 0)
    let outcome = try send.push()
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("x@[nonsense]"))
    #expect(try send.server.arrived(for: bob, atLeast: 1).count == 1)
  }

  /// Git's own place for it: distributions pack it apart.
  static let sendEmail = "/usr/lib/git-core/git-send-email"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: sendEmail)))
  func `git send-email goes through the queue`() throws {
    let send = try SendScenario()
    let bob = SendScenario.newUser()
    let script = """
      set -e
      mkdir "$0/repo"; cd "$0/repo"; git init -q; git config user.name A
      git config user.email \(send.user)@example.org
      git config sendemail.sendmailCmd "$1 sendmail"
      echo a > a; git add a; git commit -qm "A change"
      git format-patch -q --root -o out
      git send-email --quiet --confirm=never --to \(bob)@example.org out/*.patch
      """
    let outcome = try run(
      ["sh", "-c", script, send.mirror.home] + send.mirror.command([]),
      environment: send.mirror.environment)
    #expect(outcome.status == 0, "\(outcome.summary)")
    let queued = try send.outbox()
    try #require(queued.count == 1, "\(queued)")
    #expect(queued[0]["state"] as? String == "queued")
    #expect(queued[0]["subject"] as? String == "[PATCH] A change")
    let recipients = queued[0]["recipients"] as? [[String: Any]]
    #expect(recipients?.contains { $0["address"] as? String == "\(bob)@example.org" } == true)
    #expect(try send.server.arrived(for: bob, atLeast: 0).isEmpty)
    let pushed = try send.push()
    #expect(pushed.status == 0, "\(pushed.summary)")
    let arrived = try send.server.arrived(for: bob, atLeast: 1)
    #expect(
      arrived.map { String(decoding: $0.bytes, as: UTF8.self).contains("[PATCH] A change") } == [
        true
      ])
    #expect(try send.outbox().isEmpty)
    #expect(try send.outbox("--all").compactMap { $0["state"] as? String } == ["sent"])
  }

  @Test(.enabled(if: findProgram("neomutt") != nil))
  func `neomutt sends through the queue, offline first`() throws {
    let send = try SendScenario()
    let bob = SendScenario.newUser()
    let script = """
      printf 'Hello\\n.\\nend\\n' | neomutt -n -F /dev/null \
        -e "set sendmail='$1 sendmail -oi -oem'; set copy=no; set from=\(send.user)@example.org; set use_from=yes; set use_envelope_from=yes" \
        -s 'From mutt: Grüße' -b \(bob)@example.org \(bob)x@example.org
      """
    let outcome = try run(
      ["sh", "-c", script, "sh"] + send.mirror.command([]), environment: send.mirror.environment)
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try send.outbox().count == 1)
    #expect(try send.push().status == 0)
    let texts = try send.server.arrived(for: bob, atLeast: 1)
      .map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(
      texts.count == 1 && texts.allSatisfy { $0.hasSuffix("Hello\r\n.\r\nend\r\n") }, "\(texts)")
    #expect(texts.allSatisfy { !$0.contains("\(bob)@example.org>\r\nBcc") && !$0.contains("Bcc:") })
    #expect(try send.server.arrived(for: "\(bob)x", atLeast: 1).count == 1)
  }
}

@Suite struct DeliveryRequirementTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["MIRROR_TEST_REQUIRE"] != nil))
  func `the programs that hand messages over are there`() {
    #expect(
      FileManager.default.isExecutableFile(atPath: DeliveryTests.sendEmail),
      "\(DeliveryTests.sendEmail): the package git-email")
    #expect(findProgram("neomutt") != nil)
  }
}
