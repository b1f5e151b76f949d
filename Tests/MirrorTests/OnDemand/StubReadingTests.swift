import Foundation
import MailTestKit
import Testing

/// What the index, the reading commands and the queue know of stubs.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct StubReadingTests {
  private func scenario(_ server: DovecotServer.Options = .init()) throws -> Scenario {
    let scenario = try Scenario(server, sync: "on-demand = \"20kB\"")
    try scenario.client.append([
      OnDemandMail.mixed("big", octets: 60_000, name: "Jahresbericht.pdf"),
      OnDemandMail.mixed("small", octets: 500, name: "note.pdf", seed: 2),
    ])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    return scenario
  }

  private func search(_ scenario: Scenario, _ query: String...) throws -> [String] {
    let outcome = try scenario.mirror.run(["search", "--format", "json"] + query)
    #expect(outcome.status == 0, "\(outcome.summary)")
    let found = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]]
    return (found ?? []).compactMap { $0["message_id"] as? String }.sorted()
  }

  @Test func `searches find stubs by their attachments, and by being such`() throws {
    let scenario = try scenario()
    #expect(try search(scenario, "is:stub") == ["big@example.org"])
    #expect(try search(scenario, "not", "is:stub") == ["small@example.org"])
    #expect(try search(scenario, "has:attachment").count == 2)
    #expect(try search(scenario, "attachment:jahresbericht") == ["big@example.org"])
    #expect(try search(scenario, "mimetype:application/pdf").count == 2)
    #expect(try search(scenario, "size:>50k") == ["big@example.org"])
    #expect(try search(scenario, "body:mirror") == [], "our words are none of the message's")
    let listed = try scenario.mirror.run(["attachments", "is:stub"])
    #expect(listed.outputText.contains("Jahresbericht.pdf, application/pdf, 44 kB  not here"))
    #expect(try scenario.mirror.run(["fill", "is:stub"]).status == 0)
    #expect(try search(scenario, "is:stub") == [])
    #expect(try search(scenario, "attachment:jahresbericht") == ["big@example.org"])
    let shown = try scenario.mirror.run(["attachments", "*"])
    #expect(!shown.outputText.contains("not here"), "\(shown.summary)")
  }

  @Test(arguments: [true, false])
  func `saving an attachment of a stub fetches that part alone, and the stub stays`(
    serverDecodes: Bool
  ) throws {
    let scenario = try scenario(
      serverDecodes ? .init() : DovecotServer.Options(without: ["BINARY"]))
    let directory = try TemporaryDirectory("saved")
    let whole = try scenario.client.messages(in: "INBOX")[0].bytes
    let text = String(decoding: whole, as: UTF8.self)
    let start = try #require(text.range(of: "Jahresbericht.pdf\"\r\n\r\n")).upperBound
    let encoded = text[start...].prefix { $0 != "-" }
    let expected = try #require(
      Data(base64Encoded: String(encoded), options: .ignoreUnknownCharacters))
    scenario.proxy.forget()
    let saved = try scenario.mirror.run(["attachments", "--save", directory.path, "is:stub"])
    #expect(saved.status == 0, "\(saved.summary)")
    #expect(try readFile(directory.path + "/Jahresbericht.pdf") == Array(expected))
    #expect(scenario.bodyFetches == [])
    let commands = scenario.proxy.commands(named: ["FETCH"])
    #expect(commands.count == 1)
    #expect(commands.allSatisfy { $0.contains("BINARY.PEEK[2]") == serverDecodes }, "\(commands)")
    let shown = try scenario.mirror.run(["show", "--part", "2", "is:stub"])
    #expect(shown.output == Array(expected), "\(shown.status ?? -1)")
    #expect(try scenario.local("<big@")?.isStub == true)
    try scenario.expectQuiet()
  }

  @Test(arguments: [
    ("BODY.PEEK[2]", "BODY.PEEK[2]<0.1000>"), ("BINARY.PEEK[2]", "BINARY.PEEK[2]<0.1000>"),
    ("BODY.PEEK[2]", "BODY.PEEK[1]"), ("BINARY.PEEK[2]", "BINARY.PEEK[1]"),
  ])
  func `a part that was cut off, or is another, is not saved`(asked: String, sent: String) throws {
    let decodes = asked.hasPrefix("BINARY")
    let scenario = try scenario(decodes ? .init() : .init(without: ["BINARY"]))
    let directory = try TemporaryDirectory("saved")
    var conditions = TCPProxy.Conditions()
    conditions.changeUp = { replacing(asked, with: sent, in: $0) }
    conditions.changeDown = { replacing("[2]<0> ", with: "[2] ", in: $0) }
    scenario.proxy.conditions = conditions
    let saved = try scenario.mirror.run(["attachments", "--save", directory.path, "is:stub"])
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    // Where decoding was wrong, the part as it is was asked for.
    #expect(saved.status == (decodes ? 0 : 1), "\(saved.summary)")
    #expect(names == (decodes ? ["Jahresbericht.pdf"] : []))
    guard decodes else { return }
    #expect(try readFile(directory.path + "/Jahresbericht.pdf").count > 40_000)
  }

  @Test(arguments: ["lf", "crlf"])
  func `a text that is saved from a stub is the same as from the whole message`(endings: String)
    throws
  {
    let scenario = try Scenario(
      sync: "on-demand = \"20kB\"\nline-endings = \"\(endings)\"")
    let log = String(repeating: "a line of a log\n", count: 3000)
    let text = """
      From: a@example.org
      Message-ID: <log@example.org>
      Content-Type: multipart/mixed; boundary=x

      --x

      log@
      --x
      Content-Type: text/plain; name=log.txt
      Content-Disposition: attachment; filename=log.txt

      \(log)
      --x
      Content-Type: text/csv; name=log.csv
      Content-Transfer-Encoding: quoted-printable
      Content-Disposition: attachment; filename=log.csv

      \(log.replacing("log", with: "l=6Fg=\n"))
      --x--

      """
    try scenario.client.append([SampleMessage(bytes: crlf(text), date: 1_600_000_000)])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    #expect(try scenario.local("<log@")?.isStub == true)
    func saved() throws -> [[UInt8]] {
      let directory = try TemporaryDirectory("saved")
      let outcome = try scenario.mirror.run(["attachments", "--save", directory.path, "*"])
      #expect(outcome.status == 0, "\(outcome.summary)")
      return try ["log.txt", "log.csv"].map { try readFile(directory.path + "/" + $0) }
    }
    let fromStub = try saved()
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    #expect(try scenario.local("<log@")?.isStub == false)
    #expect(try saved() == fromStub)
  }

  @Test
  func `what holds an absent part is told to be on the server, and what lies in one is fetched`()
    throws
  {
    let scenario = try Scenario(sync: "on-demand = \"20kB\"")
    let big = OnDemandMail.base64(60_000, seed: 5)
    let texts = [
      (
        "held",
        "Content-Type: multipart/related; boundary=i\n\n--i\nContent-Type: text/html\n\n<p>x</p>\n--i\n"
          + "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n\(big)\n--i--\n"
      ),
      (
        "letter",
        "Content-Type: message/rfc822\n\nSubject: in\nContent-Type: multipart/mixed; boundary=y\n\n--y\n"
          + "Content-Type: text/plain\n\ninner\n--y\nContent-Type: image/png\n"
          + "Content-Transfer-Encoding: base64\n\n\(big)\n--y--\n"
      ),
    ]
    for (token, part) in texts {
      try scenario.client.append([
        SampleMessage(
          bytes: crlf(
            "From: a@example.org\nSubject: \(token)\nMessage-ID: <\(token)@example.org>\nMIME-Version: 1.0\n"
              + "Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: text/plain\n\nhi\n--o\n"
              + part + "--o--\n"))
      ])
    }
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    func show(_ token: String, _ section: String) throws -> Outcome {
      try scenario.mirror.run(["show", "--part", section, "id:\(token)@example.org"])
    }
    let held = try show("held", "2")
    #expect(held.status == 1 && held.output.isEmpty, "\(held.summary)")
    #expect(held.errorText.contains("mirror fill id:held@example.org"), "\(held.summary)")
    let inner = try show("letter", "2.1")
    #expect(inner.status == 0 && inner.outputText == "inner", "\(inner.summary)")
    let picture = try show("letter", "2.2")
    #expect(picture.status == 0 && picture.output.count > 40_000, "\(picture.summary)")
    #expect(try show("letter", "2.3").errorText.contains("no part 2.3"))
    #expect(try scenario.local("<letter@")?.isStub == true)
  }

  @Test func `mirror-index, which fetches nothing, says how to get it`() throws {
    guard let binary = IndexProgram.binary else { return }
    let scenario = try scenario()
    let directory = try TemporaryDirectory("saved")
    let outcome = try run(
      [binary, "attachments", "--root", scenario.mirror.root, "--save", directory.path, "is:stub"],
      environment: scenario.mirror.environment)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.summary.contains("Get it with `mirror fill id:big@example.org`"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
  }

  @Test func `show says what is not here`() throws {
    let scenario = try scenario()
    let shown = try scenario.mirror.run(["show", "id:big@example.org"])
    #expect(shown.outputText.contains("Jahresbericht.pdf"), "\(shown.summary)")
    #expect(shown.outputText.contains("Get it with: mirror fill id:big@example.org"))
  }

  @Test func `a stub is not sent, and is when it was filled`() throws {
    let scenario = try scenario()
    try scenario.mirror.configure {
      $0.imap = "\n[accounts.personal.smtp]\nhost = \"127.0.0.1\"\nport = 9\ntls = \"none\"\n"
    }
    func forward() throws -> Outcome {
      let local = try #require(try scenario.local("<big@"))
      let text =
        "From: me@example.org\nTo: you@example.org\nSubject: Fwd\nMIME-Version: 1.0\n"
        + "Content-Type: multipart/mixed; boundary=fwd\n\n--fwd\n\nsee below\n--fwd\n"
        + "Content-Type: message/rfc822\n\n" + local.text + "\n--fwd--\n"
      let path = scenario.mirror.home + "/forward.eml"
      try writeFile(path, text)
      return try run(
        ["sh", "-c", "exec \"$0\" sendmail -t < \"$1\"", MirrorProgram.binary ?? "", path],
        environment: scenario.mirror.environment)
    }
    let refused = try forward()
    #expect(refused.status == 65, "\(refused.summary)")
    #expect(refused.summary.contains("mirror fill id:big@example.org"), "\(refused.summary)")
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    let taken = try forward()
    #expect(taken.status == 0, "\(taken.summary)")
  }
}
