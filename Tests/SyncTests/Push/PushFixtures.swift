import Foundation
import Ledger
import LedgerTestKit
import MailCore
import Maildir
import State
import SyncPlan

@testable import LocalChanges
@testable import Sync

/// An account of the tests' own: a tree, a state, and a mail reader at work in it.
final class PushTree {
  let root: String
  let tree: AccountTree
  let state: StateStore
  let policy: MaildirPolicy
  private(set) var mailboxes: [MailboxRecord] = []
  private var nextUID: UInt32 = 1

  init(policy: MaildirPolicy = MaildirPolicy(fsync: false)) throws {
    root =
      FileManager.default.temporaryDirectory.path + "/mirror-push-" + UUID().uuidString
    tree = try AccountTree.open(path: root + "/personal", create: true)
    state = try StateStore(path: tree.control.path + "/state.db", durable: false)
    self.policy = policy
  }

  /// INBOX with so many messages, and the usual folders beside it.
  static func usual(_ messages: Int = 4) throws -> PushTree {
    let tree = try PushTree()
    try tree.add("INBOX")
    try tree.add("Archive")
    try tree.add("Trash", use: "trash")
    try tree.add("Drafts", use: "drafts")
    for number in 0..<messages { try tree.pull("m\(number)", into: "INBOX") }
    return tree
  }

  deinit {
    state.shut()
    try? FileManager.default.removeItem(atPath: root)
  }

  @discardableResult
  func add(_ name: String, use: String? = nil) throws -> MailboxKey {
    let record = try state.addMailbox(
      name: name, rawName: Array(name.utf8), delimiter: "/", folder: "\(name)"
    ) {
      $0.uidValidity = 7
      $0.specialUse = use
      $0.backwardCursor = 1
    }
    _ = try MaildirFolder.create(FolderPath(components: [name])!, in: tree, fsync: false)
    mailboxes.append(record)
    return record.id
  }

  func change(_ name: String, _ body: (inout MailboxRecord) -> Void) throws {
    let index = mailboxes.firstIndex { $0.name == name }!
    body(&mailboxes[index])
    try state.save(mailboxes[index])
  }

  func path(_ folder: String) -> String { tree.path + "/" + folder }

  /// A message as a pull leaves it: a file and its record.
  @discardableResult
  func pull(
    _ text: String, into name: String, flags: MessageFlags = [], keywords: Keywords = .none,
    base: String? = nil
  ) throws -> UID {
    let mailbox = mailboxes.first { $0.name == name }!
    let uid = UID(nextUID)
    nextUID += 1
    let folder = try open(name)
    let base =
      base.map { Array($0.utf8) }
      ?? BirthName(
        internalDate: 1_600_000_000, mailbox: mailbox.mailboxName, uidValidity: UIDValidity(7),
        uid: uid, account: "personal"
      ).base
    let writer = DeliveryWriter(policy: policy)
    writer.begin(in: folder)
    try Array(message(text).replacing("\n", with: "\r\n").utf8).withUnsafeBytes {
      try writer.write($0)
    }
    let staged = try writer.finish(
      marks: MessageMarks(flags: flags, keywords: keywords), internalDate: 1_600_000_000,
      base: base)
    var batch = DeliveryBatch(policy: policy)
    batch.add(staged)
    let delivered = batch.commit().delivered[0]
    var record = MessageRecord(
      uid: uid, name: [], agreed: MessageMarks(flags: flags, keywords: keywords),
      internalDate: 1_600_000_000)
    record.complete(with: delivered)
    try state.transaction { try $0.put(record, in: mailbox.id) }
    return uid
  }

  func message(_ text: String) -> String {
    "From: a@example.org\nSubject: \(text)\nMessage-ID: <\(text)@example.org>\n\nThis is \(text).\n"
  }

  func open(_ folder: String) throws -> MaildirFolder {
    try MaildirFolder.open(FolderPath(text: folder)!, in: tree)
  }

  func files(_ folder: String) throws -> [MessageFile] {
    var files: [MessageFile] = []
    try FolderScan.forEachFile(in: open(folder)) { files.append($0) }
    return files.sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  /// The file that holds this text.
  func file(_ text: String, in folder: String) throws -> String {
    for file in try files(folder) {
      let path = self.path(folder) + "/" + file.description
      if try String(contentsOfFile: path, encoding: .utf8).contains("<\(text)@") { return path }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  func write(_ text: String, to path: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  func makeFolder(_ name: String) throws {
    for part in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: path(name) + "/" + part, withIntermediateDirectories: true)
    }
  }

  func move(_ path: String, to target: String) throws {
    try FileManager.default.moveItem(atPath: path, toPath: target)
  }

  func find(full: Bool = false, compared: Set<FolderPath>? = []) throws -> TreeChanges {
    try ChangeFinder(
      tree: tree, policy: policy, state: state, mailboxes: mailboxes, comparesAll: full,
      compared: compared
    ).find()
  }

  func plan(
    expunges: Bool = false, massDelete: Bool = false, full: Bool = false,
    holds: [DeletionHold] = []
  ) throws -> PushPlan {
    var situation = PushSituation(
      mailboxes: mailboxes, deletions: expunges ? .expunge : .trash, allowsMassDelete: massDelete,
      nameOfNewFolder: { $0.text })
    situation.holds = holds
    return PushPlanner(situation).plan(try find(full: full))
  }
}
