import Foundation
import MailCore
import Settings
import Testing

@testable import Setup

@Suite struct ConfigurationFileTests {
  private final class Place {
    let directory: String
    var path: String { directory + "/config.toml" }
    init() {
      directory = NSTemporaryDirectory() + "mirror-setup-\(UInt64.random(in: 0...UInt64.max))"
      try? FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func file() throws -> ConfigurationFile {
      try ConfigurationFile(path: path, environment: ["HOME": directory])
    }
    func mode(_ path: String) -> Int? {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }
    var files: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }
    func read(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
  }

  private func draft(_ name: String) -> AccountDraft {
    var draft = AccountDraft(
      account: name, email: "alice@example.org",
      imap: ServerOffer(
        host: "imap.example.org", port: 993, tls: .implicit, user: "alice@example.org"))
    draft.credential = .shell("echo \"pw\"")
    draft.realName = "Alice Ünal"
    draft.folders = ["INBOX", "a\"b"]
    return draft
  }

  @Test func `a new file is private, and the settings read it as it was meant`() throws {
    let place = Place()
    let file = try place.file()
    #expect(file.accounts == [] && file.root == nil)
    let written = try file.write(
      try file.text(with: draft("personal"), root: "~/Mail", replacing: false))
    #expect(written.backup == nil)
    #expect(place.mode(place.path) == 0o600)
    #expect(place.files == ["config.toml"])
    let settings = try Configuration.load(path: place.path, environment: ["HOME": place.directory])
    #expect(settings.root == place.directory + "/Mail")
    let account = try #require(settings.account(named: "personal"))
    #expect(account.realName == "Alice Ünal")
    #expect(account.imap.secret == .command(["/bin/sh", "-c", "echo \"pw\""]))
    #expect(account.sync.folders.texts == ["INBOX", "a\"b"])
  }

  @Test func `a file that exists keeps its bytes and gets a backup`() throws {
    let place = Place()
    let first = try place.file()
    _ = try first.write(try first.text(with: draft("personal"), root: "~/Mail", replacing: false))
    let before = "# a comment of mine\n" + (place.read(place.path) ?? "") + "# the end"
    try before.write(toFile: place.path, atomically: false, encoding: .utf8)
    let file = try place.file()
    #expect(file.accounts == ["personal"])
    let written = try file.write(
      try file.text(with: draft("work"), root: "/elsewhere", replacing: false),
      now: Date(timeIntervalSince1970: 1_795_000_000))
    let backup = try #require(written.backup)
    #expect(backup.hasPrefix(place.path + ".bak-20261118T"))
    #expect(place.read(backup) == before)
    #expect(place.mode(backup) == 0o600)
    #expect(place.read(place.path)?.hasPrefix(before) == true)
    #expect(try place.file().accounts == ["personal", "work"])
    // Once more within the same second: another backup, none lost.
    let again = try place.file()
    let second = try again.write(
      try again.text(with: draft("third"), root: "", replacing: false),
      now: Date(timeIntervalSince1970: 1_795_000_000))
    #expect(second.backup == backup + "-2")
    #expect(place.read(backup) == before)
  }

  @Test func `an account that exists is refused, and replaced when told`() throws {
    let place = Place()
    let first = try place.file()
    _ = try first.write(try first.text(with: draft("Personal"), root: "~/M", replacing: false))
    let file = try place.file()
    #expect(throws: WritingError.accountExists("Personal", path: place.path)) {
      try file.text(with: draft("personal"), root: "", replacing: false)
    }
    var other = draft("personal")
    other.email = "new@example.org"
    _ = try file.write(try file.text(with: other, root: "", replacing: true))
    let settings = try Configuration.load(path: place.path, environment: ["HOME": place.directory])
    #expect(settings.accounts.map(\.name) == ["personal"])
    #expect(settings.accounts.first?.email == "new@example.org")
    #expect(settings.root == place.directory + "/M")
  }

  @Test func `what would not load is not written`() throws {
    let place = Place()
    try "accounts = { a = { imap = { host = 'h', user = 'u', password-command = 'x' } } }\n".write(
      toFile: place.path, atomically: false, encoding: .utf8)
    let file = try place.file()
    let text = try file.text(with: draft("b"), root: "", replacing: false)
    #expect(throws: WritingError.self) { try file.write(text) }
    #expect(place.files == ["config.toml"])
    #expect(place.read(place.path)?.hasPrefix("accounts = {") == true)
  }

  @Test func `a rehearsal finds what would go wrong, and leaves nothing`() throws {
    let place = Place()
    let new = try place.file()
    try new.rehearse(try new.text(with: draft("a"), root: "~/Mail", replacing: false))
    #expect(place.files == [])
    try "root = \"/a\"\n".write(toFile: place.path, atomically: false, encoding: .utf8)
    let file = try place.file()
    #expect(throws: WritingError.self) { try file.rehearse(Array("root = 1\n".utf8)) }
    try "root = \"/b\"\n".write(toFile: place.path, atomically: false, encoding: .utf8)
    let text = try file.text(with: draft("b"), root: "", replacing: false)
    #expect(throws: WritingError.changed(place.path)) { try file.rehearse(text) }
    #expect(place.files == ["config.toml"] && place.read(place.path) == "root = \"/b\"\n")
  }

  @Test func `an account that is replaced keeps what was set by hand`() throws {
    let place = Place()
    try """
    [accounts.a.imap]
    host = "old"
    user = "u"
    auth = "xoauth2"
    [accounts.a.oauth]
    provider = "google"
    client-id = "old"
    redirect-url = "http://127.0.0.1:8123"
    [accounts.a.sync]
    keywords = "none"

    """.write(toFile: place.path, atomically: false, encoding: .utf8)
    let file = try place.file()
    #expect(file.replaceable.map(\.name) == ["a"])
    var draft = draft("a")
    draft.credential = .oauth(OAuthSettings(provider: .google, clientID: "old"))
    _ = try file.write(try file.text(with: draft, root: "", replacing: true))
    let settings = try Configuration.load(path: place.path, environment: ["HOME": place.directory])
    let account = try #require(settings.account(named: "a"))
    #expect(account.imap.host == "imap.example.org" && account.oauth?.clientID == "old")
    #expect(account.oauth?.redirectURL == "http://127.0.0.1:8123")
    #expect(account.sync.keywords == .none)
    // Another program is registered with another address.
    let again = try place.file()
    draft.credential = .oauth(OAuthSettings(provider: .google, clientID: "new"))
    _ = try again.write(try again.text(with: draft, root: "", replacing: true))
    #expect(try place.file().replaceable.first?.oauth?.redirectURL == nil)
  }

  @Test func `a file that changed meanwhile is left alone`() throws {
    let place = Place()
    try "root = \"/a\"\n".write(toFile: place.path, atomically: false, encoding: .utf8)
    let file = try place.file()
    try "root = \"/b\"\n".write(toFile: place.path, atomically: false, encoding: .utf8)
    let text = try file.text(with: draft("b"), root: "", replacing: false)
    #expect(throws: WritingError.changed(place.path)) { try file.write(text) }
    #expect(place.read(place.path) == "root = \"/b\"\n")
  }

  @Test func `a file with mistakes ends the set-up before it begins`() throws {
    let place = Place()
    try "root = \n".write(toFile: place.path, atomically: false, encoding: .utf8)
    #expect(throws: SettingsError.self) { try place.file() }
  }

  @Test func `a symbolic link stays one`() throws {
    let place = Place()
    let real = place.directory + "/dotfiles.toml"
    try "root = \"/a\"\n".write(toFile: real, atomically: false, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: place.path, withDestinationPath: "dotfiles.toml")
    let file = try place.file()
    _ = try file.write(try file.text(with: draft("b"), root: "", replacing: false))
    #expect(place.read(real)?.contains("[accounts.b]") == true)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: place.path) == "dotfiles.toml")
  }
}
