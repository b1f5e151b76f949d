import Foundation
import GRDB
import MailCore
import Maildir
import Testing

@testable import MailIndex

/// What changed is found by the sums of directories where that is enough, and by every row where it is not.
@Suite struct DirectorySumTests {
  @Test func `one more file is found by itself, one less by its row`() throws {
    let (lab, before) = try lab(of: 30)
    try lab.put("a/INBOX", "cur/new:2,", lab.mail("new"))
    try lab.remove("a/INBOX/cur/7:2,S")
    try expect(lab, before, added: nil, gone: nil)

    try lab.put("a/INBOX", "cur/7:2,S", lab.mail("7"))
    try lab.update(.thorough)
    let known = try sums(lab)
    try lab.put("a/INBOX", "cur/other:2,", lab.mail("other"))
    try expect(lab, known, added: "other:2,", gone: nil)
    try lab.remove("a/INBOX/cur/other:2,")
    try lab.remove("a/INBOX/cur/9:2,S")
    let row = try lab.number("SELECT id FROM files WHERE path LIKE '%/9:2,S'")
    try expect(lab, known, added: nil, gone: row)
  }

  @Test func `two messages that exchange their names are read again`() throws {
    let (lab, _) = try lab(of: 3)
    try lab.move("a/INBOX/cur/0:2,S", to: "a/INBOX/cur/x")
    try lab.move("a/INBOX/cur/1:2,S", to: "a/INBOX/cur/0:2,S")
    try lab.move("a/INBOX/cur/x", to: "a/INBOX/cur/1:2,S")
    try lab.update()
    #expect(
      try lab.strings(
        """
        SELECT m.message_id FROM files AS f JOIN messages AS m ON m.id = f.message
        WHERE f.path LIKE '%cur/0:2,S'
        """) == ["1@example.org"])
    try lab.expectSound()
  }

  @Test func `names that have no room are read from the directory once more`() throws {
    let (lab, _) = try lab(of: 20)
    let pass = try FolderPass(lab.folder("a/INBOX"), [.cur], room: 40)
    #expect(pass.count == 20)
    var names: Set<[UInt8]> = []
    _ = try FolderPass.forEach(of: pass, lab.folder("a/INBOX"), [.cur]) {
    } _: { _, name, _, _ in
      names.insert(Array(name))
    }
    #expect(names.count == 20)
  }

  @Test(arguments: 0..<24)
  func `any changes lead to what an index made anew says`(seed: UInt64) throws {
    var random = Dice(state: seed)
    let lab = try IndexLab()
    var files: [String] = []
    var made = 0
    for _ in 0..<12 {
      for _ in 0..<[0, 1, 1, 1, 2, 5].randomElement(using: &random)! {
        let folder = ["a/INBOX", "a/Work"].randomElement(using: &random)!
        let directory = ["new", "cur"].randomElement(using: &random)!
        let place = files.indices.randomElement(using: &random)
        switch (Int.random(in: 0..<6, using: &random), place) {
        case (0...1, _), (_, nil):
          made += 1
          let file = "\(directory)/\(made).host:2,"
          try lab.put(folder, file, lab.mail("m\(made)", body: "Word\(made)"))
          files.append("\(folder)/\(file)")
        case (2, let place?):
          try lab.remove(files.remove(at: place))
        case (3, let place?):
          let name = files[place].split(separator: "/").last!.split(separator: ":")[0]
          let flags = ["", "S", "FS", "R"].randomElement(using: &random)!
          let moved = "\(folder)/\(directory)/\(name):2,\(flags)"
          if moved == files[place] { continue }
          try lab.makeFolder(folder)
          try lab.move(files[place], to: moved)
          files[place] = moved
        case (4, let place?):
          let other = files.indices.randomElement(using: &random)!
          if other == place { continue }
          try lab.move(files[place], to: "a/aside")
          try lab.move(files[other], to: files[place])
          try lab.move("a/aside", to: files[other])
        case (_, let place?):
          try lab.remove(files[place])
          made += 1
          let parts = files[place].split(separator: "/", maxSplits: 2)
          try lab.put(
            parts[..<2].joined(separator: "/"), String(parts[2]), lab.mail("m\(made)"))
        }
      }
      try lab.update()
      try lab.expectSound()
    }
  }

  // MARK: The lab

  private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      return LinkKey.mixed(state)
    }
  }

  private func lab(of count: Int) throws -> (IndexLab, FolderSums) {
    let lab = try IndexLab()
    for number in 0..<count {
      try lab.put("a/INBOX", "cur/\(number):2,S", lab.mail("\(number)", body: "Word \(number)"))
    }
    try lab.update()
    return (lab, try sums(lab))
  }

  /// What the index has of the folder.
  private func sums(_ lab: IndexLab) throws -> FolderSums {
    var sums = FolderSums()
    try lab.read { db in
      try RowStatement(db, "SELECT \(FolderCount.columns) FROM mailbox").forEachRow {
        sums = FolderCount.sums($0, from: 0)
      }
    }
    #expect(sums.cur != DirectorySum())
    return sums
  }

  /// - Parameters:
  ///   - added: the name of the only new file.
  ///   - gone: the row of the only file that is missing. Where both are nil, the sums cannot tell.
  private func expect(
    _ lab: IndexLab, _ before: FolderSums, added: String?, gone: Int?,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let store = try IndexStore.openAsItIs(root: lab.root)
    defer { store.close() }
    let folder = IndexedFolder(
      mailbox: 1, account: 1, accountName: "a", path: try lab.path("a/INBOX"), name: "INBOX",
      isSent: false, met: .none, stamp: .none, sums: before)
    let pass = try FolderPass(lab.folder("a/INBOX"), [.cur])
    let changes = try FewChanges(pass, folder, [.cur], store)
    guard added != nil || gone != nil else {
      #expect(changes == nil, sourceLocation: location)
      return
    }
    var names: [String] = []
    for index in changes?.added ?? [] {
      pass.withEntry(index) { names.append(String(decoding: $1, as: UTF8.self)) }
    }
    #expect(names == (added.map { [$0] } ?? []), sourceLocation: location)
    #expect(
      changes?.gone.map(\.id) == (gone.map { [Int64($0)] } ?? []), sourceLocation: location)
  }
}

extension IndexLab {
  fileprivate func path(_ path: String) throws -> FolderPath {
    let tree = try MailTree.read(root: root)
    return try #require(tree.folders.first { $0.path.text == path }).path
  }

  fileprivate func folder(_ path: String) throws -> MaildirFolder {
    try MailTree.read(root: root).open(try self.path(path))
  }
}
