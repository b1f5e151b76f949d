import Foundation
import Ledger
import MailCore
import Maildir
import State
import SyncPlan
import Testing

@testable import LocalChanges

/// Folders that are gone: what was in them is deleted by nobody but the person who says so.
struct HeldBackTests {
  @Test func `an empty directory in a folder's place is an unmounted disk`() throws {
    let tree = try PushTree.usual()
    try tree.add("Work")
    try tree.pull("w", into: "Work")
    try FileManager.default.removeItem(atPath: tree.path("Work"))
    try FileManager.default.createDirectory(
      atPath: tree.path("Work"), withIntermediateDirectories: true)
    let changes = try tree.find()
    #expect(changes.unmountedFolders.count == 1 && changes.gone.isEmpty)
    #expect(try tree.plan(massDelete: true).isQuiet)
  }

  @Test func `a folder that is gone waits, however few messages it had`() throws {
    let tree = try PushTree.usual()
    try tree.add("Work")
    try tree.pull("w", into: "Work")
    try FileManager.default.removeItem(atPath: tree.path("Work"))
    let plan = try tree.plan()
    #expect(plan.deletions.isEmpty && plan.held.map(\.reason) == [.folderGone])
    #expect(try tree.plan(massDelete: true).deletions.count == 1)
  }

  @Test func `a folder that is gone waits, also when a pull has made it anew`() throws {
    let tree = try PushTree.usual()
    let work = try tree.add("Work")
    try tree.pull("w1", into: "Work")
    try tree.pull("w2", into: "Work")
    try tree.move(tree.path("Work"), to: tree.root + "/away")
    let holds = try tree.plan().holds
    #expect(holds.map(\.uids?.count) == [2] && holds.map(\.mailbox) == [work])
    try tree.makeFolder("Work")
    try tree.pull("w3", into: "Work")
    let plan = try tree.plan(holds: holds)
    #expect(plan.deletions.isEmpty && plan.held.map(\.reason) == [.earlier(holds[0])])
    #expect(plan.holds == holds)
    // One is back, and the other lies elsewhere.
    let away = try FileManager.default.contentsOfDirectory(atPath: tree.root + "/away/new").sorted()
    try tree.move("\(tree.root)/away/new/\(away[0])", to: tree.path("Work/new/\(away[0])"))
    try tree.move("\(tree.root)/away/new/\(away[1])", to: tree.path("Archive/new/\(away[1])"))
    let whole = try tree.plan(holds: holds)
    #expect(whole.held.isEmpty && whole.holds.isEmpty && whole.moves.count == 1)
  }

  @Test func `what a copy in a folder's place lacks waits, and nothing else`() throws {
    let tree = try PushTree.usual()
    let inbox = try #require(tree.mailboxes.first?.id)
    // One that was never seen, since an earlier program left no word of it, holds nothing back.
    let identity = try #require(try tree.find().newIdentities[inbox])
    try tree.state.transaction { try $0.setFolderIdentity(identity.rawValue, of: inbox) }
    try FileManager.default.removeItem(atPath: tree.file("m0", in: "INBOX"))
    #expect(try tree.find().newIdentities[inbox] == nil)
    #expect(try tree.plan().deletions.count == 1)
    try FileManager.default.copyItem(atPath: tree.path("INBOX"), toPath: tree.root + "/copy")
    try FileManager.default.removeItem(atPath: tree.path("INBOX"))
    try tree.move(tree.root + "/copy", to: tree.path("INBOX"))
    let plan = try tree.plan()
    #expect(plan.deletions.isEmpty && plan.held.map(\.reason) == [.folderReplaced])
    #expect(plan.holds.map(\.cause) == [.replaced])
    #expect(try tree.plan(massDelete: true).deletions.count == 1)
  }

  @Test func `a folder that is renamed holds nothing back`() throws {
    let tree = try PushTree.usual()
    try tree.add("Work")
    for number in 0..<3 { try tree.pull("w\(number)", into: "Work") }
    try FileManager.default.removeItem(atPath: tree.file("w0", in: "Work"))
    try tree.move(tree.path("Work"), to: tree.path("Job"))
    let plan = try tree.plan()
    #expect(plan.renames.count == 1 && plan.holds.isEmpty)
  }

  @Test func `where readers never rest, nothing held back is forgotten`() throws {
    let tree = try PushTree.usual()
    var changes = try tree.find()
    #expect(changes.looked.count == 4)
    changes.distrust()
    #expect(changes.looked.isEmpty)
  }
}
