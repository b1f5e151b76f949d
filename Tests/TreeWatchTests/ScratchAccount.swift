#if os(Linux)
  import Foundation
  import MailCore
  import Maildir
  import Testing

  @testable import TreeWatch

  /// An account's tree, and other programs' hands in it.
  final class ScratchAccount {
    let name: String
    let layout: LayoutStyle
    let top: String
    let path: String
    let tree: AccountTree

    init(_ name: String = "personal", layout: LayoutStyle = .nested, folders: [String] = ["INBOX"])
      throws
    {
      self.name = name
      self.layout = layout
      top = FileManager.default.temporaryDirectory.path + "/tree-watch-" + UUID().uuidString
      path = top + "/Mail/" + name
      tree = try AccountTree.open(path: path, create: true)
      for folder in folders { _ = try self.folder(folder) }
    }

    deinit { try? FileManager.default.removeItem(atPath: top) }

    var watched: WatchedAccount { WatchedAccount(name: name, path: path, layout: layout) }

    /// By mirror's own hand.
    func folder(_ path: String) throws -> MaildirFolder {
      try MaildirFolder.create(try #require(FolderPath(text: path)), in: tree, fsync: false)
    }

    func write(_ file: String, _ text: String = "Subject: x\n\nx\n") throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + file))
    }

    func makeDirectories(_ paths: String...) throws {
      for directory in paths {
        try FileManager.default.createDirectory(
          atPath: path + "/" + directory, withIntermediateDirectories: true)
      }
    }

    func rename(_ old: String, _ new: String) throws {
      try move(path + "/" + old, path + "/" + new)
    }

    func link(_ old: String, _ new: String) throws {
      try check(Glibc.link(path + "/" + old, path + "/" + new))
    }

    func unlink(_ file: String) throws { try check(Glibc.unlink(path + "/" + file)) }

    func age(_ file: String) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
        ofItemAtPath: path + "/" + file)
    }

    func hint(_ folder: String, _ kind: TreeHint.Kind) throws -> TreeHint {
      .folder(account: name, try #require(FolderPath(text: folder)), kind)
    }
  }

  func move(_ old: String, _ new: String) throws { try check(Glibc.rename(old, new)) }

  func check(_ result: Int32) throws {
    if result != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  extension TreeWatcher {
    /// Whether a loop that waits for the descriptor would wake up.
    var isReadable: Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, 0) == 1
    }
  }
#endif
