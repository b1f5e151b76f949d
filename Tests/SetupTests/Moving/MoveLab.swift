import Foundation
import MailCore
import Maildir
import Settings

@testable import Setup

/// A directory with trees in it, removed with the value.
final class MoveLab {
  let path: String

  init() throws {
    let name = NSTemporaryDirectory() + "/mirror-move-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: true)
    path = PeerTree.resolved(name)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Makes Maildirs.
  func folders(_ names: String...) throws {
    for name in names {
      for part in ["cur", "new", "tmp"] {
        try FileManager.default.createDirectory(
          atPath: "\(path)/\(name)/\(part)", withIntermediateDirectories: true)
      }
    }
  }

  func write(_ name: String, _ text: String = "Message-ID: <a@b>\n\nHello.\n") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
  }

  func read(_ name: String) -> String? {
    try? String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  func names(_ directory: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + directory)) ?? []).sorted()
  }

  func inode(_ name: String) -> UInt64? {
    let facts = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
    return (facts?[.systemFileNumber] as? NSNumber)?.uint64Value
  }

  static func account(_ name: String, user: String, host: String = "imap.example.org")
    -> AccountSettings
  {
    AccountSettings(
      name: name, email: user,
      imap: ServerSettings(host: host, port: 993, user: user, secret: .none))
  }

  /// The plan for a tree of this lab and the account directory `Mail/personal` in it.
  func plan(
    _ tree: PeerTree, layout: LayoutStyle = .nested, isOurs: Bool = false
  ) throws -> MovePlan {
    try MovePlan(
      MoveSubject(account: Self.account("personal", user: "alice"), tree: tree),
      tree.folders(besides: [path + "/Mail/personal"]), home: path + "/Mail/personal",
      layout: Maildir.FolderLayout(style: layout), isOurs: isOurs)
  }

  /// Takes a tree over.
  func move(_ tree: PeerTree, copies: Bool = false, isRehearsal: Bool = false) throws -> MoveReport
  {
    let home = path + "/Mail/personal"
    let account =
      isRehearsal
      ? try AccountTree.forReading(path: home) : try AccountTree.open(path: home, create: true)
    var run = MoveRun(
      try plan(tree), source: tree.path, into: account, policy: MaildirPolicy(), copies: copies,
      wasTaken: false, isRehearsal: isRehearsal, isStopped: { false })
    return try run.take()
  }
}
