import Foundation
import Testing

@testable import Reading

@Suite struct SaveDirectoryTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func save(_ text: String, as name: String, in directory: SaveDirectory) throws -> String {
    try Array(text.utf8).withUnsafeBytes { try directory.save($0, as: name) }
  }

  @Test func `a file is never overwritten`() throws {
    let directory = try SaveDirectory(scratch.path + "/out")
    try scratch.write("mine", to: "out/a.pdf")
    #expect(try save("first", as: "a.pdf", in: directory) == scratch.path + "/out/a (2).pdf")
    #expect(try save("second", as: "a.pdf", in: directory) == scratch.path + "/out/a (3).pdf")
    #expect(scratch.text(of: "out/a.pdf") == "mine")
    #expect(scratch.text(of: "out/a (2).pdf") == "first")
    #expect(scratch.text(of: "out/a (3).pdf") == "second")
  }

  @Test func `what a killed program left is removed by the next save, and nothing else`() throws {
    let gone = ".mirror-2147483646-12.part"
    let kept = [
      ".mirror-\(ProcessInfo.processInfo.processIdentifier)-12.part", ".mirror-2147483646-13.part",
      ".mirror-2147483646-012.part", ".mirror-2147483646.part", ".mirror-x-12.part", "a.part",
    ]
    for name in [gone] + kept {
      try scratch.write("half", to: "out/" + name)
      guard name != kept[1] else { continue }  // It may be another machine's.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)],
        ofItemAtPath: scratch.path + "/out/" + name)
    }
    let dry = try SaveDirectory(scratch.path + "/out", isDry: true)
    _ = try save("x", as: "b.pdf", in: dry)
    #expect(scratch.names(in: "out").contains(gone))
    _ = try save("x", as: "b.pdf", in: SaveDirectory(scratch.path + "/out"))
    #expect(Set(scratch.names(in: "out")) == Set(kept + ["b.pdf"]))
  }

  @Test func `a dry run tells the paths and writes nothing`() throws {
    let missing = try SaveDirectory(scratch.path + "/none", isDry: true)
    #expect(try save("x", as: "a.pdf", in: missing) == scratch.path + "/none/a.pdf")
    try scratch.write("mine", to: "out/a.pdf")
    let directory = try SaveDirectory(scratch.path + "/out", isDry: true)
    #expect(try save("x", as: "a.pdf", in: directory) == scratch.path + "/out/a (2).pdf")
    #expect(try save("y", as: "a.pdf", in: directory) == scratch.path + "/out/a (3).pdf")
    #expect(scratch.names() == ["out"] && scratch.names(in: "out") == ["a.pdf"])
    #expect(throws: SaveError.self) { try SaveDirectory(scratch.path + "/out/a.pdf", isDry: true) }
  }

  @Test func `a link in the directory is not followed`() throws {
    try scratch.write("victim", to: "victim")
    try scratch.makeDirectory("out")
    for (name, target) in [("a", scratch.path + "/victim"), ("b", scratch.path + "/not-there")] {
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path + "/out/" + name, withDestinationPath: target)
    }
    let directory = try SaveDirectory(scratch.path + "/out")
    #expect(try save("x", as: "a", in: directory).hasSuffix("/a (2)"))
    #expect(try save("x", as: "b", in: directory).hasSuffix("/b (2)"))
    #expect(scratch.text(of: "victim") == "victim")
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/not-there"))
  }

  @Test(arguments: ["../x", "/etc/x", "..", "."])
  func `a name that leads out is refused`(name: String) throws {
    let directory = try SaveDirectory(scratch.path + "/out")
    #expect(throws: SaveError.self) { try save("x", as: name, in: directory) }
    #expect(scratch.names() == ["out"] && scratch.names(in: "out").isEmpty)
  }

  @Test func `an empty file and a large one come out whole`() throws {
    let directory = try SaveDirectory(scratch.path + "/out")
    let large = String(repeating: "0123456789", count: 300_000)
    _ = try save("", as: "empty", in: directory)
    _ = try save(large, as: "large", in: directory)
    #expect(scratch.text(of: "out/empty") == "")
    #expect(scratch.text(of: "out/large") == large)
  }

  @Test func `a file has its name only when it is whole, and leaves nothing where it never was`()
    throws
  {
    let directory = try SaveDirectory(scratch.path + "/out")
    do {
      let file = try directory.newFile()
      try file.write(Array("half".utf8))
      let names = scratch.names(in: "out")
      #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix(".mirror-") })
      try scratch.write("mine", to: "out/a.pdf")
      #expect(try !file.place(as: "a.pdf"))
      #expect(scratch.text(of: "out/a.pdf") == "mine")
    }
    #expect(scratch.names(in: "out") == ["a.pdf"])
    #expect(try save("x", as: "b.pdf", in: directory) == scratch.path + "/out/b.pdf")
    #expect(scratch.names(in: "out") == ["a.pdf", "b.pdf"])
  }

  @Test func `a directory whose parent is missing is told`() {
    #expect(throws: SaveError.self) { _ = try SaveDirectory(scratch.path + "/a/b/c") }
  }
}
