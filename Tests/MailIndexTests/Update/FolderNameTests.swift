import Foundation
import MailCore
import Testing

@testable import MailIndex

@Suite struct FolderNameTests {
  private let lab: IndexLab

  init() throws { lab = try IndexLab() }

  private func makeUnnamedFolder(in parent: String) throws {
    for name in ["", "/tmp", "/new", "/cur"] {
      let path = Array("\(lab.root)/\(parent)/x".utf8) + [0xFF] + Array(name.utf8) + [0]
      let made = path.withUnsafeBytes { mkdir($0.bindMemory(to: CChar.self).baseAddress!, 0o700) }
      try #require(made == 0)
    }
  }

  @Test func `mail below a name that is no UTF-8 is told by each update and by the check`() throws {
    try lab.put("acc/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try makeUnnamedFolder(in: "acc")
    for _ in 0..<2 {
      let problems = try lab.update().problems
      #expect(problems.map(\.path) == ["acc/x\\xFF"])
      #expect(problems.first?.error.explanation.exitStatus == .inPart)
    }
    #expect(try lab.update().changedNothing)
    let report = try IndexCheck(root: lab.root).run()
    #expect(report.leftOut.map(\.path) == ["acc/x\\xFF"] && !report.isSound)
    #expect(report.faults.isEmpty && report.isBehind.isEmpty)
  }

  @Test func `dotted folders below others are indexed, and found by their names`() throws {
    try lab.put("acc/INBOX/.Sub", "cur/1.a:2,S", lab.mail("a"))
    try lab.put("acc/top", "cur/2.a:2,S", lab.mail("b"))
    try lab.put("acc/top/.sub", "cur/3.a:2,S", lab.mail("c"))
    try lab.put("acc/Entw&APw-rfe", "cur/4.a:2,S", lab.mail("d"))
    try lab.update()
    #expect(try lab.number("SELECT count(*) FROM messages") == 4)
    #expect(
      try lab.strings("SELECT name FROM mailboxes ORDER BY name") == [
        "Entwürfe", "Sub", "top", "top/sub",
      ])
    try lab.expectSound()
  }

  @Test func `a link does not take the place of the folder`() throws {
    try lab.put("acc/plain", "cur/1.a:2,S", lab.mail("a"))
    try FileManager.default.createSymbolicLink(
      atPath: lab.root + "/acc/linkplain", withDestinationPath: "plain")
    try lab.update()
    #expect(try lab.strings("SELECT name FROM mailboxes") == ["plain"])
  }
}
