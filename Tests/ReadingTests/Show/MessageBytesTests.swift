import Foundation
import Testing

@testable import Reading

@Suite struct MessageBytesTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func text(_ names: String...) throws -> String {
    let bytes = try MessageBytes.load(names.map { FileBytes(scratch.path + "/" + $0) }).bytes
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a file is found though a reader changed its flags`() throws {
    try scratch.write("old", to: "INBOX/cur/1.host:2,FS")
    try scratch.write("decoy", to: "INBOX/cur/1.host2:2,S")
    try scratch.makeDirectory("INBOX/new")
    #expect(try text("INBOX/cur/1.host:2,S") == "old")
    #expect(try text("INBOX/new/1.host") == "old")
  }

  @Test func `a file that went back to new is found`() throws {
    try scratch.write("fresh", to: "INBOX/new/2.host")
    #expect(try text("INBOX/cur/2.host:2,S") == "fresh")
  }

  @Test func `the first file that is there is read`() throws {
    try scratch.write("second", to: "Archive/cur/x:2,")
    #expect(try text("INBOX/cur/x:2,", "Archive/cur/x:2,") == "second")
  }

  @Test func `what is gone or no file is told`() throws {
    #expect(throws: MessageFileError.self) { try text("INBOX/cur/none:2,") }
    try scratch.makeDirectory("INBOX/cur/dir:2,")
    #expect(throws: MessageFileError.self) { try text("INBOX/cur/dir:2,") }
    mkfifo(scratch.path + "/INBOX/cur/pipe", 0o600)
    #expect(throws: MessageFileError.self) { try text("INBOX/cur/pipe") }
  }
}
