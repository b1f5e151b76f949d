import Foundation
import Testing

@testable import MailIndex

/// What lies among messages and is none.
@Suite struct OddFilesTests {
  let lab: IndexLab

  init() throws {
    lab = try IndexLab()
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
  }

  private var cur: String { lab.root + "/home/INBOX/cur" }

  @Test func `a pipe, a device's link and a link to a directory are told and no mail`() throws {
    mkfifo(cur + "/2.pipe", 0o600)
    try FileManager.default.createSymbolicLink(
      atPath: cur + "/3.null", withDestinationPath: "/dev/null")
    try FileManager.default.createSymbolicLink(
      atPath: cur + "/4.directory", withDestinationPath: "/tmp")
    let problems = try lab.update().problems.sorted { $0.path < $1.path }
    let words = problems.map { $0.error.explanation.problem }
    #expect(problems.count == 3 && problems.allSatisfy { !$0.isMail })
    #expect(words[0].contains("a named pipe"))
    #expect(words[1].contains("a device"))
    #expect(words[2].contains("a link to a directory"))
    let report = try IndexCheck(root: lab.root).run()
    #expect(report.isBehind == [] && report.leftOut.count == 3 && report.isSound)
  }

  @Test func `a link to nothing is told until its target comes`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: cur + "/2.b:2,S", withDestinationPath: lab.root + "/later")
    for _ in 0..<2 {
      let problems = try lab.update().problems
      #expect(problems.count == 1)
      #expect(problems.first?.error.explanation.problem.contains("not there") == true)
    }
    let report = try IndexCheck(root: lab.root).run()
    #expect(report.isBehind == [] && report.leftOut.count == 1 && !report.isSound)
    try Data(lab.mail("b").utf8).write(to: URL(fileURLWithPath: lab.root + "/later"))
    #expect(try lab.update().addedMessages == 1)
    try lab.expectSound()
  }

  @Test func `a file of two gigabytes is told and never promised`() throws {
    _ = FileManager.default.createFile(atPath: cur + "/2.big:2,S", contents: nil)
    let handle = try #require(FileHandle(forWritingAtPath: cur + "/2.big:2,S"))
    try handle.truncate(atOffset: 1 << 31)
    try handle.close()
    #expect(try lab.update().problems.count == 1)
    let report = try IndexCheck(root: lab.root).run()
    #expect(report.isBehind == [] && report.leftOut.count == 1)
  }
}
