import Foundation
import MailCore
import Testing

@testable import Sorting

/// Moves to another file system that were killed between copy and unlink: the message is there twice.
@Suite struct KilledCopyTests {
  /// A move to another file system copies, with the date, then unlinks.
  private func copy(_ lab: SortingLab, _ from: String, _ to: String) throws {
    try FileManager.default.copyItem(
      atPath: "\(lab.root)/personal/\(from)", toPath: "\(lab.root)/personal/\(to)")
    var status = stat()
    #expect(stat("\(lab.root)/personal/\(from)", &status) == 0)
    let times = [status.st_atim, status.st_mtim]
    #expect(utimensat(AT_FDCWD, "\(lab.root)/personal/\(to)", times, 0) == 0)
  }

  @Test(arguments: ["1.host", "1.host,U=7"])
  func `a move that was killed between copy and unlink is taken back to one file`(base: String)
    throws
  {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/\(base):2,S", "a")
    try lab.kill("hello", { try $0.move($1, to: "Archive", creates: false) })
    try copy(lab, "INBOX/cur/\(base):2,S", "Archive/cur/1.host:2,S")
    let outcome = try lab.undo()
    #expect(outcome.done == 1 && outcome.leftOut == [])
    #expect(lab.names == ["INBOX/cur/\(base):2,S"])
  }

  @Test func `what only has the name and the date of a killed move stays`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.kill("hello", { try $0.move($1, to: "Archive", creates: false) })
    try copy(lab, "INBOX/cur/1.host:2,S", "Archive/cur/1.host:2,S")
    let path = lab.root + "/personal/Archive/cur/1.host:2,S"
    var status = stat()
    #expect(stat(path, &status) == 0)
    let text = try #require(lab.text("Archive/cur/1.host:2,S"))
    try Data(text.replacingOccurrences(of: "Words", with: "Terms").utf8)
      .write(to: URL(fileURLWithPath: path))
    #expect(utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0) == 0)
    #expect(try lab.undo().done == 0)
    #expect(lab.names == ["Archive/cur/1.host:2,S", "INBOX/cur/1.host:2,S"])
  }

  @Test func `an undo that was killed between copy and unlink is carried on to one file`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.perform("hello") { try $0.move($1, to: "Archive", creates: false) }
    try copy(lab, "Archive/cur/1.host:2,S", "INBOX/cur/1.host:2,S")
    #expect(try lab.undo().done == 1)
    #expect(lab.names == ["INBOX/cur/1.host:2,S"])
  }
}
