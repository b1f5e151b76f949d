import Foundation
import Ledger
import MailCore
import Maildir
import State
import Testing

@testable import Sync

/// Files that repeat a message of their own folder, and what becomes of them without it.
struct SurplusFileTests {
  @Test func `two equal new files in one folder are one message`() throws {
    let tree = try PushTree.usual()
    for number in 0..<3 {
      try tree.write(tree.message("n"), to: tree.path("Archive/cur/18.\(number).host:2,S"))
    }
    let plan = try tree.plan()
    #expect(plan.uploads.count == 1 && plan.twins.count == 2)
  }

  @Test func `a surplus file whose original the server expunged is no new message`() throws {
    let tree = try PushTree.usual()
    let uid = try tree.pull("n", into: "Archive")
    try tree.write(tree.message("n"), to: tree.path("Archive/cur/18.1.host:2,S"))
    let plan = try tree.plan()
    #expect(plan.surplus.count == 1)
    let box = try #require(tree.mailboxes.first { $0.name == "Archive" }?.id)
    let original = try #require(
      tree.files("Archive").first { !$0.description.contains("18.1.host") })
    try FileManager.default.removeItem(
      atPath: tree.path("Archive") + "/" + original.description)
    try tree.state.transaction { transaction in
      for file in plan.surplus {
        try transaction.addSurplus(
          SurplusFile(nameHash: file.file.baseHash, contentHash: file.digest.contentHash), to: box)
      }
      try transaction.remove(uid, from: box)
    }
    #expect(try tree.plan().uploads.isEmpty)
    // Nor where a command wrote its keywords line anew, and so gave it another name.
    try tree.move(
      tree.path("Archive/cur/18.1.host:2,S"), to: tree.path("Archive/cur/18.1.host~k1:2,S"))
    let rewritten = try tree.plan()
    #expect(rewritten.uploads.isEmpty && rewritten.surplus.count == 1)
  }

  @Test func `a surplus file whose original was moved away here is a message of its folder`() throws
  {
    let tree = try PushTree.usual()
    try tree.pull("n", into: "Archive")
    let original = try tree.file("n", in: "Archive")
    for number in 1...2 {
      try tree.write(tree.message("n"), to: tree.path("Archive/cur/18.\(number).host:2,S"))
    }
    let box = try #require(tree.mailboxes.first { $0.name == "Archive" }?.id)
    let surplus = try tree.plan().surplus
    #expect(surplus.count == 2)
    try tree.state.transaction { transaction in
      for file in surplus {
        try transaction.addSurplus(
          SurplusFile(nameHash: file.file.baseHash, contentHash: file.digest.contentHash), to: box)
      }
    }
    let name = (original as NSString).lastPathComponent
    try tree.move(original, to: tree.path("INBOX/cur/\(name):2,"))
    let plan = try tree.plan()
    #expect(plan.moves.count == 1 && plan.uploads.count == 1 && plan.twins.count == 1)
    #expect(plan.uploads.allSatisfy { $0.followsMove && $0.mailbox == box })
  }

  @Test func `a rewritten copy at home is no move of its namesake elsewhere`() throws {
    let tree = try PushTree.usual()
    for folder in ["Archive", "INBOX"] {
      try tree.pull("n", into: folder, flags: .seen, base: "18.1.host")
    }
    try FileManager.default.removeItem(atPath: tree.file("n", in: "INBOX"))
    try tree.move(
      tree.path("Archive/cur/18.1.host:2,S"), to: tree.path("Archive/cur/18.1.host~k1:2,S"))
    let plan = try tree.plan()
    #expect(plan.moves.isEmpty && plan.renamedFiles.count == 1)
    #expect(plan.deletions.map(\.mailbox) == [tree.mailboxes.first { $0.name == "INBOX" }?.id])
  }

  @Test func `a surplus file that was edited is a message of its own`() throws {
    let tree = try PushTree.usual()
    try tree.pull("n", into: "Archive")
    let path = tree.path("Archive/cur/18.1.host:2,S")
    try tree.write(tree.message("n"), to: path)
    let box = try #require(tree.mailboxes.first { $0.name == "Archive" }?.id)
    for file in try tree.plan().surplus {
      try tree.state.transaction {
        try $0.addSurplus(
          SurplusFile(nameHash: file.file.baseHash, contentHash: file.digest.contentHash), to: box)
      }
    }
    #expect(try tree.plan().uploads.isEmpty)
    try tree.write(tree.message("n").replacing("This", with: "That"), to: path)
    let plan = try tree.plan()
    #expect(plan.uploads.count == 1 && plan.surplus.isEmpty)
  }
}
