import Foundation
import Testing

@testable import Maildir

@Suite struct MailTreeTests {
  private func tree(_ maildirs: [String], marks: [String] = [], links: [String: String] = [:])
    throws -> MailTree
  {
    let root = NSTemporaryDirectory() + "mail-tree-\(UUID().uuidString)"
    let files = FileManager.default
    try files.createDirectory(atPath: root, withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: root) }
    for path in maildirs {
      for name in ["tmp", "new", "cur"] {
        try files.createDirectory(
          atPath: "\(root)/\(path)/\(name)", withIntermediateDirectories: true)
      }
    }
    for path in marks {
      if path.hasSuffix("/") {
        try files.createDirectory(atPath: root + "/" + path, withIntermediateDirectories: true)
      } else {
        _ = files.createFile(atPath: root + "/" + path, contents: nil)
      }
    }
    for (path, target) in links {
      try files.createSymbolicLink(atPath: root + "/" + path, withDestinationPath: target)
    }
    return try MailTree.read(root: root)
  }

  private func folders(_ tree: MailTree) -> [String] {
    tree.folders.map { "\($0.account)|\($0.name)|\($0.path.text)" }
  }

  @Test func `accounts are told from folders`() throws {
    let tree = try tree(
      [
        "personal/INBOX", "personal/Archive/2024", "foreign/Inbox", "plus", "plus/.Sent",
        "plus/.Sent.2024", "Loose", "Loose/Below", "own",
      ],
      marks: ["personal/.mirror/", "own/.mirror/", "empty/", "fresh/.mirror/"])
    #expect(
      folders(tree) == [
        "|Loose|Loose", "|Loose/Below|Loose/Below", "foreign|Inbox|foreign/Inbox", "own|INBOX|own",
        "personal|Archive/2024|personal/Archive/2024", "personal|INBOX|personal/INBOX",
        "plus|INBOX|plus", "plus|Sent|plus/.Sent", "plus|Sent/2024|plus/.Sent.2024",
      ])
    #expect(tree.accounts.map(\.name) == ["", "foreign", "fresh", "own", "personal", "plus"])
    #expect(tree.accounts.filter(\.isOwn).map(\.name) == ["fresh", "own", "personal"])
  }

  @Test func `a root that is a Maildir is the account without a name`() throws {
    #expect(
      folders(try tree(["", ".Archive", ".Archive.Old"])) == [
        "|INBOX|", "|Archive|.Archive", "|Archive/Old|.Archive.Old",
      ])
  }

  @Test func `other programs' directories are passed over`() throws {
    let tree = try tree(
      [
        ".mirror/x", ".notmuch/x", "a/INBOX", "a/.nnmaildir", "a/.mirror/outbox", "a/hidden",
        "b/INBOX",
      ],
      marks: ["a/hidden/.noindex", "b/.noindex"])
    #expect(folders(tree) == ["a|INBOX|a/INBOX"])
  }

  @Test func `escapes are undone where they are ours`() throws {
    #expect(
      folders(try tree(["a/%63ur", "b/%63ur"], marks: ["a/.mirror/"])) == [
        "a|cur|a/%63ur", "b|%63ur|b/%63ur",
      ])
  }

  @Test func `loops of symbolic links end`() throws {
    #expect(
      folders(try tree(["a/INBOX"], links: ["a/loop": ".", "a/other": "../a", "a/twice": "INBOX"]))
        == ["a|INBOX|a/INBOX"])
  }
}
