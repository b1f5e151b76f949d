import Foundation
import MailTestKit
import Testing

/// Promise 8 where a server repeats what it refuses: the secret is on the wire and nowhere else.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct EchoedSecretTests {
  private static let password = "tr0ub4dor&\"3 staple"

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  /// All in which eight bytes in a row would tell of it.
  private static let forms = [
    password, password.replacing("\"", with: "\\\""), base64(password),
    base64("\0u\0" + password), "tr0ub4dor%26%223%20staple",
  ]

  private func expectNothing(
    of outcome: Outcome, in mirror: MirrorProgram, location: SourceLocation = #_sourceLocation
  ) throws {
    var texts = [
      "standard output": Data(outcome.output), "standard error": Data(outcome.errors),
    ]
    for file in TreeSnapshot(mirror.home).files.keys
    where file != "config.toml" && !isDirectory(mirror.home + "/" + file) {
      texts[file] = Data(try readFile(mirror.home + "/" + file))
    }
    #expect(texts.count > 2)
    for (name, text) in texts {
      let leak = Self.leak(in: text)
      #expect(
        leak == nil,
        "\(name): \(leak ?? "")\n\(outcome.errorText)\n\(outcome.outputText)",
        sourceLocation: location)
    }
  }

  /// Every eight bytes in a row of the forms, as a number, and which form that is.
  private static let pieces: [UInt64: String] = {
    var pieces: [UInt64: String] = [:]
    for form in forms {
      let bytes = Array(form.utf8)
      for start in 0...(bytes.count - 8) {
        pieces[bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }] = form
      }
    }
    return pieces
  }()

  /// Whether a piece ends in these two bytes: nearly all of a text is passed over with this look alone.
  private static let ends: [Bool] = {
    var ends = [Bool](repeating: false, count: 1 << 16)
    for piece in pieces.keys { ends[Int(piece & 0xffff)] = true }
    return ends
  }()

  /// The form of which eight bytes in a row stand in a text.
  private static func leak(in text: Data) -> String? {
    let (pieces, ends) = (pieces, ends)
    return text.withUnsafeBytes { bytes in
      ends.withUnsafeBufferPointer { ends in
        var last: UInt64 = 0
        for byte in bytes {
          last = last << 8 | UInt64(byte)
          if ends[Int(last & 0xffff)], let form = pieces[last] { return form }
        }
        return nil
      }
    }
  }

  @Test func `eight bytes of it are found, wherever they stand`() {
    for form in Self.forms {
      #expect(Self.leak(in: Data("so \(form.suffix(8)), or so".utf8)) != nil)
      #expect(Self.leak(in: Data(form.utf8.prefix(8))) != nil)
      #expect(Self.leak(in: Data("so \(form.suffix(7)), or so".utf8)) == nil)
    }
  }

  private func settings(port: UInt16) -> AccountSettings {
    var settings = AccountSettings(port: port, user: "u")
    settings.password = Self.password.replacing("\"", with: "\\\"")
    return settings
  }

  /// What the server says for the command that it refuses.
  enum Echo: CaseIterable, Sendable {
    case line, password, cutLine, ofLaterLine, inURL, parting, alert, isBad

    fileprivate func replies(_ command: ModelCommand) -> [Reply] {
      let no = "\(command.tag) NO [AUTHENTICATIONFAILED] "
      switch self {
      case .line: return [.line(no + "refused: \(command.text)")]
      case .password: return [.line(no + "no user has the password \(EchoedSecretTests.password)")]
      case .cutLine: return [.line(no + "refused: \(command.text.prefix(34))")]
      case .ofLaterLine:
        return [.line(no + EchoedSecretTests.base64("\0u\0\(EchoedSecretTests.password)"))]
      case .inURL: return [.line(no + "imap://u:\(EchoedSecretTests.forms[4])@host")]
      case .parting: return [.line("* BYE go away, \(command.text)"), .hangUp]
      case .alert: return [.line("* NO [ALERT] \(command.text)"), .line(no + "x")]
      case .isBad: return [.line("\(command.tag) BAD \(command.text)")]
      }
    }
  }

  @Test(arguments: Echo.allCases, [["AUTH=PLAIN", "SASL-IR"], ["AUTH=PLAIN"], []])
  func `an IMAP server that repeats the log-in gives nothing away`(
    echo: Echo, capabilities: [String]
  ) throws {
    var dialect = Dialect.modern
    dialect.publicCapabilities = Set(["IMAP4rev1"] + capabilities)
    dialect.password = Self.password
    let server = try ModelServer(MailAccount(["INBOX"]), dialect)
    let mirror = try MirrorProgram(settings(port: server.port))
    #expect(try mirror.pull().status == 0)
    server.alter { command, replies in
      ["LOGIN", "AUTHENTICATE"].contains(command.name) ? echo.replies(command) : replies
    }
    for arguments in [["pull", "-vv"], ["pull", "--format", "json"], ["status"], ["doctor"]] {
      let outcome = try mirror.run(arguments)
      #expect(outcome.status != 0 || arguments == ["status"], "\(outcome.summary)")
      if arguments == ["pull", "-vv"] {
        #expect(outcome.errorText.contains("<- "), "\(outcome.summary)")
        // What the server meant is still to be read.
        if echo == .password { #expect(outcome.errorText.contains("no user has the password")) }
      }
      try expectNothing(of: outcome, in: mirror)
    }
  }

  @Test(arguments: ["plain", "login"], [60, 20, 9])
  func `an SMTP server that repeats the log-in gives nothing away`(mechanism: String, width: Int)
    throws
  {
    let server = try ScriptedServer { session in
      session.send("220 hi")
      while let line = session.receive() {
        var said = String(decoding: line, as: UTF8.self)
        switch said.prefix(4).uppercased() {
        case "EHLO":
          session.send("250-here")
          session.send("250 AUTH PLAIN LOGIN")
        case "AUTH":
          if said == "AUTH LOGIN" {
            for question in ["VXNlcm5hbWU6", "UGFzc3dvcmQ6"] {
              session.send("334 \(question)")
              said = session.receive().map { String(decoding: $0, as: UTF8.self) } ?? ""
            }
          }
          // As many a server breaks long words.
          let words = Array("5.7.8 refused: \(said) (\(Self.password))")
          for start in stride(from: 0, to: words.count, by: width) {
            session.send("535-" + String(words[start..<min(start + width, words.count)]))
          }
          session.send("535 go away")
        default: return
        }
      }
    }
    var settings = settings(port: 1)
    settings.imap = """

      [accounts.personal.smtp]
      host = "127.0.0.1"
      port = \(server.port)
      tls = "none"
      auth = "\(mechanism)"
      """
    let mirror = try MirrorProgram(settings)
    let message = mirror.home + "/message"
    try writeFile(message, "Subject: x\n\nx\n")
    let queued = try run(
      ["sh", "-c", "exec \"$@\" < \"$0\"", message]
        + mirror.command(["sendmail", "bob@example.org"]), environment: mirror.environment)
    #expect(queued.status == 0, "\(queued.summary)")
    for arguments in [["push", "--format", "json"], ["push"], ["outbox"], ["push", "-vv"]] {
      let outcome = try mirror.run(arguments)
      #expect(outcome.status == (arguments == ["outbox"] ? 0 : 77), "\(outcome.summary)")
      // Line by line a piece of less than eight characters may be left of what a server broke so.
      if arguments == ["push", "-vv"], width < 60 { continue }
      try expectNothing(of: outcome, in: mirror)
    }
  }
}
