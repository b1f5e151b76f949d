import Foundation
import Testing

@testable import Reading

@Suite struct LinkedMaildirTests {
  private let scratch: ScratchDirectory
  private let directory: String
  private var root: String { scratch.path + "/mail" }

  init() throws {
    scratch = try ScratchDirectory()
    directory = scratch.path + "/hits"
  }

  private func entries(_ count: Int, from first: Int = 1) -> [LinkedMaildir.Entry] {
    (first..<(first + count)).map {
      LinkedMaildir.Entry(id: Int64($0), path: FileBytes("/mail/INBOX/cur/m\($0):2,S"))
    }
  }

  @Test func `a new directory becomes a Maildir of links`() throws {
    try LinkedMaildir(directory + "/", root: root).fill(
      entries(1) + [LinkedMaildir.Entry(id: 2, path: FileBytes("/mail/INBOX/new/fresh"))])
    #expect(scratch.names(in: "hits") == [".noindex", "cur", "new", "tmp"])
    #expect(scratch.link("hits/cur/1.m1:2,S") == "/mail/INBOX/cur/m1:2,S")
    #expect(scratch.link("hits/new/2.fresh") == "/mail/INBOX/new/fresh")
    #expect(scratch.names() == ["hits"])
  }

  @Test func `the second filling replaces the first and leaves nothing behind`() throws {
    try LinkedMaildir(directory, root: root).fill(entries(3))
    try LinkedMaildir(directory, root: root).fill(entries(2, from: 10))
    #expect(scratch.names(in: "hits/cur") == ["10.m10:2,S", "11.m11:2,S"])
    #expect(scratch.names() == ["hits"])
    try LinkedMaildir(directory, root: root).fill([])
    #expect(scratch.names(in: "hits/cur").isEmpty)
  }

  @Test func `an empty directory is taken`() throws {
    try scratch.makeDirectory("hits")
    try LinkedMaildir(directory, root: root).fill(entries(1))
    #expect(scratch.names(in: "hits/cur").count == 1)
  }

  @Test(arguments: [
    "notes.txt", "cur/real-message", "new/real:2,", "tmp/x", "cur/sub/x", ".mirror/state.db",
    ".git/config",
  ])
  func `a directory that holds anything else is refused untouched`(name: String) throws {
    try LinkedMaildir(directory, root: root).fill(entries(1))
    try scratch.write("precious", to: "hits/" + name)
    #expect(throws: LinkError.self) {
      try LinkedMaildir(directory, root: root).fill(entries(2, from: 5))
    }
    #expect(scratch.text(of: "hits/" + name) == "precious")
    #expect(scratch.link("hits/cur/1.m1:2,S") != nil)
    #expect(scratch.names() == ["hits"])
  }

  @Test func `a real Maildir is refused untouched`() throws {
    try scratch.write("mail", to: "hits/cur/1.host:2,S")
    try scratch.makeDirectory("hits/new")
    try scratch.makeDirectory("hits/tmp")
    #expect(throws: LinkError.foreign(directory)) {
      try LinkedMaildir(directory, root: root).fill(entries(1))
    }
    #expect(scratch.text(of: "hits/cur/1.host:2,S") == "mail")
  }

  @Test func `an empty Maildir that a search did not make is refused untouched`() throws {
    for level in ["cur", "new", "tmp"] { try scratch.makeDirectory("hits/" + level) }
    #expect(throws: LinkError.foreign(directory)) {
      try LinkedMaildir(directory, root: root).fill(entries(1))
    }
    try scratch.write("", to: "hits/.noindex")
    #expect(throws: LinkError.foreign(directory)) {
      try LinkedMaildir(directory, root: root).fill(entries(1))
    }
    #expect(scratch.names(in: "hits") == [".noindex", "cur", "new", "tmp"])
    #expect(scratch.names(in: "hits/cur").isEmpty)
  }

  @Test(arguments: ["mail", "mail/acc/Junk", "mail/acc/new-one", "alias/acc/Junk", "alias"])
  func `a directory in the mail tree is refused`(place: String) throws {
    try scratch.makeDirectory("mail/acc/Junk")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path + "/alias", withDestinationPath: scratch.path + "/mail")
    #expect(throws: LinkError.inTree(scratch.path + "/" + place)) {
      try LinkedMaildir(scratch.path + "/" + place, root: root).fill(entries(1))
    }
    #expect(scratch.names(in: "mail/acc") == ["Junk"] && scratch.names(in: "mail/acc/Junk").isEmpty)
  }

  @Test(arguments: ["1.other:2,S", "note", "m1:2,S", "01x.m1", "1.m1"])
  func `a link that a search did not make is refused and stays`(name: String) throws {
    try LinkedMaildir(directory, root: root).fill(entries(2, from: 5))
    let link = directory + "/cur/" + name
    let target = name == "1.m1" ? "../m1" : "/mail/INBOX/cur/m1:2,S"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(throws: LinkError.foreign(link)) {
      try LinkedMaildir(directory, root: root).fill(entries(1))
    }
    #expect(scratch.names(in: "hits/cur") == [name, "5.m5:2,S", "6.m6:2,S"].sorted())
  }

  @Test func `links whose flags a reader changed are ours still`() throws {
    try LinkedMaildir(directory, root: root).fill(
      entries(1) + [.init(id: 2, path: FileBytes("/mail/INBOX/new/fresh"))])
    let files = FileManager.default
    try files.moveItem(atPath: directory + "/cur/1.m1:2,S", toPath: directory + "/cur/1.m1:2,FS")
    try files.moveItem(atPath: directory + "/new/2.fresh", toPath: directory + "/cur/2.fresh:2,")
    try LinkedMaildir(directory, root: root).fill(entries(1, from: 9))
    #expect(scratch.names(in: "hits/cur") == ["9.m9:2,S"])
    #expect(scratch.names() == ["hits"])
  }

  @Test func `a check changes nothing`() throws {
    #expect(try LinkedMaildir(directory, root: root).check() == false)
    #expect(scratch.names().isEmpty)
  }

  @Test func `a link to a directory or a file in its place is refused`() throws {
    try scratch.makeDirectory("real")
    try FileManager.default.createSymbolicLink(
      atPath: directory, withDestinationPath: scratch.path + "/real")
    #expect(throws: LinkError.notADirectory(directory)) {
      try LinkedMaildir(directory, root: root).fill(entries(1))
    }
    try scratch.write("text", to: "file")
    #expect(throws: LinkError.self) {
      try LinkedMaildir(scratch.path + "/file", root: root).fill(entries(1))
    }
    #expect(scratch.text(of: "file") == "text")
  }

  @Test func `a missing parent is told`() throws {
    #expect(throws: LinkError.self) {
      try LinkedMaildir(scratch.path + "/no/such/hits", root: root).fill(entries(1))
    }
  }

  @Test func `names too long for a link still become one with their flags`() {
    let name = String(repeating: "x", count: 250) + ":2,FS"
    let link = LinkedMaildir.linkName(.init(id: 29_394_021, path: FileBytes("/m/cur/" + name)))
    #expect(link == Array("cur/29394021:2,FS".utf8))
  }

  @Test func `what a killed run had staged is removed and nothing else`() throws {
    for name in ["hits.99999999.new", "hits.x.new", "hits.1.new", "other.99999999.new"] {
      try LinkedMaildir(scratch.path + "/" + name, root: root).fill(entries(2))
    }
    try LinkedMaildir(directory, root: root).fill(entries(1))
    #expect(scratch.names() == ["hits", "hits.1.new", "hits.x.new", "other.99999999.new"])
  }

  @Test func `names that are no UTF-8 are linked and removed`() throws {
    let path = FileBytes(Array("/mail/cur/".utf8) + [0xFF, 0xE9] + Array(":2,".utf8))
    try LinkedMaildir(directory, root: root).fill([.init(id: 1, path: path)])
    try LinkedMaildir(directory, root: root).fill(entries(1, from: 2))
    #expect(scratch.names(in: "hits/cur") == ["2.m2:2,S"])
    #expect(scratch.names() == ["hits"])
  }

  @Test func `a reader sees the old links or the new ones`() async throws {
    try LinkedMaildir(directory, root: root).fill(entries(40))
    let directory = directory
    let root = root
    let reader = Task.detached {
      var counts: Set<Int> = []
      while !Task.isCancelled {
        // Held open, as a reader holds it: what is swapped out may be emptied then.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/cur")) ?? []
        if FileManager.default.fileExists(atPath: directory + "/cur") {
          counts.insert(names.count)
        } else {
          counts.insert(-1)
        }
        await Task.yield()
      }
      return counts
    }
    for round in 0..<100 {
      try LinkedMaildir(directory, root: root).fill(entries(40, from: round * 40))
    }
    reader.cancel()
    #expect(!(await reader.value).contains(-1))
  }
}
