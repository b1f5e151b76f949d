import Settings
import Testing

@testable import Setup

@Suite struct FolderNamesTests {
  @Test(arguments: [
    (FolderStyle.verbatim, "Archive/2024", "Archive/2024"), (.verbatim, "a.b", "a.b"),
    (.maildirPlusPlus, ".Archive.2024", "Archive/2024"),
    (.maildirPlusPlus, "..sub.x", "INBOX/sub/x"),
    (.legacy, "Archive/.2024/.May", "Archive/2024/May"),
    (.joined("."), "Archive.2024", "Archive/2024"),
    (.joined("."), ".Archive.2024", "Archive/2024"), (.joined("_"), "a_b.c", "a/b.c"),
    (.guessed, "Archive/2024", "Archive/2024"), (.guessed, ".Archive.2024", "Archive/2024"),
    (.guessed, "Archive/.2024/.May", "Archive/2024/May"), (.guessed, "inbox/.a.b", "a/b"),
    (.verbatim, "Entw&APw-rfe", "Entwürfe"), (.verbatim, "R&D", "R&D"),
    (.verbatim, "cafe\u{301}", "café"),
  ])
  func `a directory tells its mailbox`(style: FolderStyle, directory: String, mailbox: String) {
    let levels = style.levels(of: directory.split(separator: "/").map(String.init))
    #expect(levels?.joined(separator: "/") == mailbox)
    // Not only canonically equal: the name has to be in NFC.
    #expect(levels?.joined(separator: "/").utf8.elementsEqual(mailbox.utf8) == true)
  }

  @Test(arguments: [
    (FolderStyle.maildirPlusPlus, "Archive"), (.maildirPlusPlus, ".a/.b"), (.legacy, "a/b"),
    (.joined("."), "a/b"), (.joined("."), "a..b"), (.maildirPlusPlus, ".a..b"),
  ])
  func `what the style would not make has no name`(style: FolderStyle, directory: String) {
    #expect(style.levels(of: directory.split(separator: "/").map(String.init)) == nil)
  }

  @Test func `below the INBOX's own directory lie the INBOX's folders`() {
    #expect(FolderStyle.verbatim.levels(of: ["a", "b"], belowInbox: true) == ["INBOX", "a", "b"])
    #expect(FolderStyle.legacy.levels(of: [".a", ".b"], belowInbox: true) == ["INBOX", "a", "b"])
    #expect(FolderStyle.maildirPlusPlus.levels(of: [".a"], belowInbox: true) == ["a"])
  }

  @Test func `what the user says goes before the channels, and one folder before many`() {
    var mapping = FolderMapping()
    #expect(mapping.verdict(on: "x") == .mailbox("x"))
    mapping.rules = [
      .init(folder: "", mailbox: "", patterns: FolderPatterns(["*"])),
      .init(folder: "Trash", mailbox: "Bin"),
    ]
    #expect(mapping.verdict(on: "Trash") == .mailbox("Bin"))
    #expect(mapping.verdict(on: "Trash/old") == .mailbox("Trash/old"))
    mapping.said = [.init(folder: "Trash", mailbox: "Papierkorb")]
    #expect(mapping.verdict(on: "Trash") == .mailbox("Papierkorb"))
    mapping.rules = [.init(folder: "INBOX", mailbox: "INBOX")]
    #expect(mapping.verdict(on: "Inbox") == .mailbox("INBOX"))
    #expect(mapping.verdict(on: "Archive") == .unsynced)
  }
}
