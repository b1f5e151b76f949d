import Foundation
import MailCore
import Maildir
import Testing

struct TemporaryCleaningTests {
  private func name(_ change: (inout TemporaryName) -> Void) throws -> String {
    var name = try #require(TemporaryName(TemporaryName.next()))
    change(&name)
    return name.bytes.text
  }

  @Test func `what dead runs left goes, what living ones write stays`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let dead = try [
      name { $0.boot &+= 1 }, name { $0.start += 1 }, name { $0.process = 0x3FFF_FFFF },
    ]
    let alive = try [
      name { _ in }, name { $0.machine &+= 1 }, "1700000000.reader.host", "mirror.x",
    ]
    for name in dead + alive { try scratch.write("x", to: "INBOX/tmp/" + name) }
    #expect(try folder.cleanTemporaryFiles() == dead.count)
    #expect(try scratch.names("INBOX/tmp") == alive.sorted())
  }

  #if os(Linux)
    @Test func `what a run left goes that ended and was not waited for`() throws {
      let scratch = try ScratchTree()
      let folder = try scratch.folder("INBOX")
      var child: pid_t = 0
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
      defer { free(arguments[0]) }
      try #require(posix_spawnp(&child, "true", nil, nil, &arguments, nil) == 0)
      defer { waitpid(child, nil, 0) }
      // It is a zombie as long as this test does not ask for its status.
      var fields: [Substring] = []
      repeat {
        let status = try String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
        fields = status.split(separator: ")").last?.split(separator: " ") ?? []
      } while fields.first != "Z"
      let start = try #require(UInt64(fields[19]))
      let left = try name {
        $0.process = child
        $0.start = start
      }
      try scratch.write("x", to: "INBOX/tmp/" + left)
      #expect(try folder.cleanTemporaryFiles() == 1)
    }
  #endif

  @Test func `old mail under way is not old by its date`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write("x", to: "INBOX/tmp/reader")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)],
      ofItemAtPath: scratch.url("INBOX/tmp/reader").path)
    #expect(try folder.cleanTemporaryFiles() == 0)
  }

  @Test func `temporary names read back, others are foreign`() throws {
    let name = try #require(TemporaryName(TemporaryName.next()))
    #expect(TemporaryName(name.bytes) == name)
    #expect(!name.ownerIsGone)
    #expect(TemporaryName.next() != TemporaryName.next())
    for text in ["", "mirror.", "mirror.x.y", name.bytes.text + "x", "x" + name.bytes.text] {
      #expect(TemporaryName(Array(text.utf8)) == nil)
    }
  }
}
