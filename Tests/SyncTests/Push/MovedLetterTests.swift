import Foundation
import Ledger
import MailCore
import Maildir
import State
import Testing

@testable import LocalChanges
@testable import Sync

/// Keyword letters mean something only by the table of a folder.
struct MovedLetterTests {
  /// A message with the keyword `Foo`, which letter `a` means in INBOX, moved with these letters.
  private func keywords(ofMovedWith letters: String, archive: [String]) throws -> Keywords {
    let tree = try PushTree(policy: MaildirPolicy(keywords: .dovecot, fsync: false))
    try tree.add("INBOX")
    try tree.add("Archive")
    let base = "18.1.host"
    try tree.pull("k", into: "INBOX", keywords: ["Foo"], base: base)
    try tree.write("0 Foo\n1 Bar\n", to: tree.path("INBOX/dovecot-keywords"))
    let lines = archive.enumerated().map { "\($0.offset) \($0.element)\n" }
    try tree.write(lines.joined(), to: tree.path("Archive/dovecot-keywords"))
    try tree.move(
      try tree.file("k", in: "INBOX"), to: tree.path("Archive/cur/\(base):2,\(letters)"))
    let moved = try #require(try tree.find().moved.first)
    return moved.file.marks.keywords
  }

  @Test func `letters of a moved file mean what they meant in its old folder`() throws {
    #expect(try keywords(ofMovedWith: "a", archive: ["Other"]) == ["Foo"])
    #expect(try keywords(ofMovedWith: "a", archive: []) == ["Foo"])
    #expect(try keywords(ofMovedWith: "ac", archive: ["A", "B", "C"]) == ["Foo"])
    #expect(try keywords(ofMovedWith: "ab", archive: ["Other"]) == ["Foo", "Bar"])
    #expect(try keywords(ofMovedWith: "", archive: ["Other"]) == [])
  }

  @Test func `letters that were made those of the new folder mean what they mean there`() throws {
    #expect(try keywords(ofMovedWith: "b", archive: ["Other", "Foo"]) == ["Foo"])
    #expect(try keywords(ofMovedWith: "bc", archive: ["Other", "Foo", "New"]) == ["Foo", "New"])
  }

  /// One message with the keyword `Foo` in INBOX and in Work, and what letters mean in each.
  private func twins(inbox: String, work: String) throws -> PushTree {
    let tree = try PushTree(policy: MaildirPolicy(keywords: .dovecot, fsync: false))
    for (folder, table) in [("INBOX", inbox), ("Work", work)] {
      try tree.add(folder)
      try tree.pull("k", into: folder, keywords: ["Foo"], base: "18.\(folder).host")
      try tree.write(table, to: tree.path("\(folder)/dovecot-keywords"))
    }
    return tree
  }

  @Test func `a copy that replaces one in another folder has the letters of its own origin`() throws
  {
    let tree = try twins(inbox: "0 Foo\n1 Bar\n", work: "0 Bar\n1 Foo\n")
    try tree.add("Archive")
    try FileManager.default.removeItem(atPath: tree.file("k", in: "Work"))
    try tree.write(tree.message("k"), to: tree.path("Archive/cur/19.host:2,a"))
    let moved = try #require(try tree.find().moved.first)
    #expect(moved.file.marks.keywords == ["Foo"])
  }

  @Test func `a file put back from a copy elsewhere keeps that copy's letters' meaning`() throws {
    let tree = try twins(inbox: "0 Junk\n1 Foo\n", work: "0 Foo\n")
    try FileManager.default.removeItem(atPath: tree.file("k", in: "INBOX"))
    try tree.write(tree.message("k"), to: tree.path("INBOX/cur/19.host:2,a"))
    let renamed = try #require(try tree.find().renamed.first)
    #expect(renamed.file.marks.keywords == ["Foo"])
  }
}
