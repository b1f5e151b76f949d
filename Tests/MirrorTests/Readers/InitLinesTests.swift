import Foundation
import MailTestKit
import Testing

/// The lines that `mirror init` prints, as they are, in the readers that they are for: with blanks in all paths.
@Suite(.onBlockingThreads, .triedAgain, .enabled(if: Readers.hasScreen)) struct InitLinesTests {
  private let bed: ReaderBed
  private var configuration: String { bed.home + "/my conf/c.toml" }

  private struct Document: Decodable {
    struct Lines: Decodable {
      var file: String
      var lines: [String]
    }
    var readers: [Lines]
  }

  init() throws {
    bed = try ReaderBed()
    let outcome = try bed.mirror.run([
      "init", "alice@example.org", "--yes", "--no-check", "--name", "Alice Example", "--account",
      "personal", "--imap-host", "127.0.0.1:\(bed.scenario.proxy.port)", "--imap-tls", "none",
      "--user", bed.scenario.user, "--smtp-host", "127.0.0.1:1", "--smtp-tls", "none",
      "--password-command", "echo pw", "--root", "~/My Mail", "--config", configuration,
      "--format", "json",
    ])
    try #require(outcome.status == 0, "\(outcome.summary)")
    let document = try JSONDecoder().decode(Document.self, from: Data(outcome.output))
    try runSuccessfully(["mkdir", "-p", bed.home + "/.config/aerc", bed.home + "/.config/neomutt"])
    try runSuccessfully(["mkdir", "-p", bed.home + "/.emacs.d", bed.home + "/.config/systemd/user"])
    for reader in document.readers {
      // aerc puts a whole file there when it first starts.
      let before =
        reader.file.hasSuffix("aerc.conf") ? (try? readFile("/usr/share/aerc/aerc.conf")) ?? [] : []
      try writeFile(
        place(reader.file), before + Array((reader.lines.joined(separator: "\n") + "\n").utf8),
        mode: 0o600)
    }
    let pull = try bed.mirror.run(["pull", "--config", configuration])
    try #require(pull.status == 0, "\(pull.summary)")
  }

  private func place(_ file: String) -> String { bed.home + file.dropFirst() }

  private func screen(_ command: String...) throws -> TerminalScreen {
    var environment = bed.environment
    environment["MIRROR_CONFIG"] = nil
    return try TerminalScreen(command, environment: environment, columns: 110, rows: 40)
  }

  private func queued() throws -> Int {
    let outcome = try bed.mirror.run(["outbox", "--config", configuration, "--format", "json"])
    let entries = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]]
    return entries?.count { $0["state"] as? String == "queued" } ?? 0
  }

  private func files(in folder: String) throws -> Int {
    try MaildirTree(bed.home + "/My Mail/personal")[folder].count
  }

  @Test(.enabled(if: findProgram("neomutt") != nil)) func `neomutt`() throws {
    let screen = try screen("neomutt", "-F", place("~/.config/neomutt/neomuttrc"))
    try screen.wait(for: "About cherry")
    try screen.press(["c", "?"])
    try screen.wait(for: "=personal/Lists/swift")
    try screen.press(["q", "m"])
    try screen.wait(for: "To:")
    try screen.press(["caro", "Tab"])
    try screen.wait(for: "carol@example.org")
    try screen.press("Enter")
    try screen.wait(for: "Subject:")
    try screen.type("a new one")
    try screen.wait(for: "y:Send")
    try screen.press("y")
    try screen.wait(for: "Mail sent")
    #expect(try eventually { try queued() == 1 })
    // No copy in a trash of its own: that is the next push's.
    try screen.press(["d", "$"])
    #expect(try eventually { try files(in: "INBOX") == 2 })
    #expect(try files(in: "Trash") == 0)
    #expect(try files(in: "Sent") == 0)
  }

  @Test(.enabled(if: findProgram("aerc") != nil)) func `aerc`() throws {
    let screen = try screen("aerc")
    try screen.wait(for: "About apple")
    try screen.wait(for: "Lists/swift")
    #expect(try !screen.text.contains(".mirror"))
    try screen.press(["r", "r"])
    try screen.wait(for: "Send this email?")
    try screen.press("y")
    #expect(try eventually { try queued() == 1 })
    #expect(try files(in: "Sent") == 0)
    try bed.scenario.append(["fresh"])
    try screen.type(":check-mail")
    try screen.wait(for: "Test fresh")
  }

  @Test(.enabled(if: Readers.hasMu4e)) func `mu4e`() throws {
    let file = place("~/.emacs.d/init.el")
    let lines = String(decoding: try readFile(file), as: UTF8.self).split(separator: "\n")
    let once = lines.filter { $0.hasPrefix(";;   ") }.map { $0.dropFirst(2) }
    let outcome = try bed.shell(once.joined(separator: "\n"))
    try #require(outcome.status == 0, "\(outcome.summary)")
    let screen = try screen("emacs", "-nw", "-q", "-l", file, "-f", "mu4e")
    try screen.wait(for: "/personal/INBOX", limit: 90)
    try screen.press(["j", "i"])
    try screen.wait(for: "About cherry")
    try screen.press(["M-<", "R"])
    try screen.wait(for: "text follows this line")
    try screen.press("This is my answer.")
    try screen.press(["C-c", "C-c"])
    #expect(try eventually { try queued() == 1 })
    #expect(try files(in: "Sent") == 0)
    try bed.scenario.append(["fresh"])
    try screen.press(["q", "U"])
    #expect(
      try eventually {
        try bed.shell("mu find --nocolor subject:fresh 2>/dev/null").outputText.contains("fresh")
      })
  }
}
