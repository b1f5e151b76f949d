import Foundation
import Testing

@testable import Maildir

@Suite struct MailTreeTests {
  /// - Parameter raw: Maildirs whose names are bytes; what is above them is made, too.
  private func tree(
    _ maildirs: [String], marks: [String] = [], links: [String: String] = [:], raw: [[UInt8]] = []
  ) throws -> MailTree {
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
    for path in raw {
      for name in ["", "/tmp", "/new", "/cur"] {
        let bytes = Array((root + "/").utf8) + path + Array(name.utf8) + [0]
        let made = bytes.withUnsafeBytes {
          mkdir($0.bindMemory(to: CChar.self).baseAddress!, 0o700)
        }
        try #require(made == 0)
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

  @Test(arguments: ["cur", "new", "tmp"])
  func `what may not be opened is never taken for unchanged`(name: String) throws {
    let root = NSTemporaryDirectory() + "mail-tree-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    for part in ["cur", "new", "tmp"] {
      try FileManager.default.createDirectory(
        atPath: "\(root)/a/INBOX/\(part)", withIntermediateDirectories: true)
    }
    let before = try #require(MailTree.read(root: root).folders.first?.stamp)
    let settled = FolderStamp(
      newModified: before.newModified, curModified: before.curModified,
      newInode: before.newInode, curInode: before.curInode, isNewSettled: true, isCurSettled: true)
    #expect(before.provesUnchanged(since: settled))
    try #require(chmod("\(root)/a/INBOX/\(name)", 0) == 0)
    let after = try #require(MailTree.read(root: root).folders.first?.stamp)
    #expect(!after.provesUnchanged(since: settled))
    chmod("\(root)/a/INBOX/\(name)", 0o700)
  }

  @Test func `loops of symbolic links end`() throws {
    #expect(
      folders(try tree(["a/INBOX"], links: ["a/loop": ".", "a/other": "../a", "a/twice": "INBOX"]))
        == ["a|INBOX|a/INBOX"])
  }

  @Test func `dotted folders count at any level`() throws {
    let tree = try tree(
      [
        "plus/INBOX", "plus/INBOX/.Sub", "plus/INBOX/.Sub.Low", "old/top", "old/top/.sub",
        "old/top/.sub/.a.b", "old/.Sent", "old/.Sent/Low", "old/x/cur/.no",
      ], marks: ["old/top/.git/objects/"])
    #expect(
      folders(tree) == [
        "old|Sent|old/.Sent", "old|Sent/Low|old/.Sent/Low", "old|top|old/top",
        "old|top/sub|old/top/.sub", "old|top/sub/a.b|old/top/.sub/.a.b", "plus|INBOX|plus/INBOX",
        "plus|Sub|plus/INBOX/.Sub", "plus|Sub/Low|plus/INBOX/.Sub.Low",
      ])
    #expect(tree.unreadable.isEmpty)
  }

  @Test func `a name that is no UTF-8 is told with the folders below it`() throws {
    let bad: [UInt8] = Array("acc/x".utf8) + [0xFF]
    let below = bad + Array("/low".utf8)
    let deeper = below + Array("/\u{E9}".utf8) + [0xE9]
    let hidden = Array("acc/.".utf8) + [0xE9]
    let empty = Array("acc/INBOX/new/".utf8) + [0xFE]
    let tree = try tree(["acc/INBOX"], raw: [bad, below, deeper, hidden, empty])
    #expect(folders(tree) == ["acc|INBOX|acc/INBOX"])
    #expect(
      tree.unreadable.map(\.error) == [
        .nameNotText(path: "acc/.\\xE9", folders: 1), .nameNotText(path: "acc/x\\xFF", folders: 3),
      ])
    let words = try #require(tree.unreadable.last?.error.explanation)
    #expect(words.problem.contains("x\\xFF") && words.problem.contains("3 folders"))
  }

  @Test func `a folder counts where it lies, not where a link to it does`() throws {
    let tree = try tree(
      ["a/plain", "b/INBOX", "c/z/deep"],
      links: ["a/linkplain": "plain", "a/box": "../b/INBOX", "a/z": "../c/z", "Top": "c"])
    #expect(folders(tree) == ["a|plain|a/plain", "b|INBOX|b/INBOX", "c|z/deep|c/z/deep"])
  }

  @Test func `a link to mail outside of the tree is followed`() throws {
    let other = NSTemporaryDirectory() + "mail-tree-other-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: other) }
    for name in ["tmp", "new", "cur", ".Sub/tmp", ".Sub/new", ".Sub/cur"] {
      try FileManager.default.createDirectory(
        atPath: other + "/" + name, withIntermediateDirectories: true)
    }
    let tree = try tree(["a/INBOX"], links: ["a/far": other, "b": other, "c": other + "/.Sub"])
    #expect(
      folders(tree) == ["a|INBOX|a/INBOX", "b|INBOX|b", "b|Sub|b/.Sub"])
  }

  @Test(arguments: [
    ("Entw&APw-rfe", "Entwürfe"), ("&ZeVnLIqe-", "日本語"), ("A&-B", "A&B"), ("R&D", "R&D"),
    ("Q&A-", "Q&A-"), ("&AGEAYg-", "&AGEAYg-"), ("M&Mü-x", "M&Mü-x"), ("&AAo-", "&AAo-"),
    ("&AC8-", "&AC8-"),
  ])
  func `modified UTF-7 is read in trees of other programs`(name: String, shown: String) throws {
    #expect(
      folders(try tree(["a/\(name)/Low", "b/.x.\(name)", "c/\(name)"], marks: ["c/.mirror/"])) == [
        "a|\(shown)/Low|a/\(name)/Low", "b|x/\(shown)|b/.x.\(name)", "c|\(name)|c/\(name)",
      ])
  }
}
