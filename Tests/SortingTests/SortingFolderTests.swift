import Foundation
import MailCore
import Testing

@testable import Sorting

/// Which folders and accounts a command takes, and what it calls them.
@Suite struct SortingFolderTests {
  @Test func `an account that cannot do it leaves the others' mail to them`() throws {
    let lab = try SortingLab()
    try lab.addAccount("second", "INBOX")
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("../second/INBOX/cur/2.host:2,S", "b")
    try lab.makeFolder("INBOX", account: "foreign")
    try lab.deliver("../foreign/INBOX/cur/3.host:2,S", "c")
    let archived = try lab.perform("hello") { try $0.archive($1) }
    #expect(archived.done == 1)
    #expect(
      Set(archived.leftOut) == [
        "the account second has no archive folder here",
        "its account is none of the configuration's",
      ])
    #expect(try lab.undo().done == 1)
    #expect(try lab.perform("hello") { try $0.delete($1) }.done == 1)
    #expect(try lab.undo().done == 1)
    #expect(
      try lab.perform("hello") { try $0.move($1, to: "Lists/dev", creates: false) }.done == 1)
    #expect(lab.names == ["Lists/dev/cur/1.host:2,S"])
    // Where none can, nothing is done at all.
    #expect(throws: SortingError.noSpecialUse(.archive, account: "second")) {
      try lab.perform("hello folder:second/INBOX") { try $0.archive($1) }
    }
  }

  @Test(arguments: [
    ("Deleted Items", "Archives"), ("INBOX/Trash", "INBOX/Archive"), ("Bin", "archive"),
  ])
  func `trash and archive are known by the names that clients give them`(
    trash: String, archive: String
  ) throws {
    let lab = try SortingLab()
    for name in ["Archive", "Trash"] {
      try FileManager.default.removeItem(atPath: "\(lab.root)/personal/\(name)")
    }
    try lab.makeFolder(trash)
    try lab.makeFolder(archive)
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("INBOX/cur/2.host:2,S", "b", subject: "Other")
    #expect(try lab.perform("hello") { try $0.delete($1) }.done == 1)
    #expect(try lab.perform("other") { try $0.archive($1) }.done == 1)
    #expect(lab.names == ["\(archive)/cur/2.host:2,S", "\(trash)/cur/1.host:2,S"].sorted())
  }

  @Test func `a copy in the trash is in the way of no move that does not name it`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("Trash/cur/2.host:2,S", "a")
    #expect(
      try lab.perform("hello") { try $0.move($1, to: "Lists/dev", creates: false) }.done == 1)
    #expect(lab.names == ["Lists/dev/cur/1.host:2,S", "Trash/cur/2.host:2,S"])
    let named = try lab.perform("hello folder:Trash") {
      try $0.move($1, to: "INBOX", creates: false)
    }
    #expect(named.done == 1)
    #expect(lab.names == ["INBOX/cur/2.host:2,S", "Lists/dev/cur/1.host:2,S"])
  }

  @Test func `a move to where the longest of names is taken finds another, and comes back`() throws
  {
    let lab = try SortingLab()
    let name = String(repeating: "N", count: 252) + ":2,"
    try lab.deliver("INBOX/cur/\(name)", "a")
    try lab.deliver("Archive/cur/\(name)", "b", subject: "Other")
    let outcome = try lab.perform("hello") { try $0.move($1, to: "Archive", creates: false) }
    #expect(outcome.done == 1, "\(outcome.leftOut)")
    #expect(lab.names.count == 2 && lab.names.allSatisfy { $0.hasPrefix("Archive/") })
    try lab.undo()
    #expect(lab.names == ["Archive/cur/\(name)", "INBOX/cur/\(name)"])
  }

  @Test(.timeLimit(.minutes(1)))
  func `many old names cost one look into their folder, not one each`() throws {
    let lab = try SortingLab()
    for number in 0..<2000 { try lab.deliver("INBOX/cur/\(number).host:2,", "\(number)") }
    let files = try lab.files("hello")
    for number in 0..<2000 {
      try lab.rename("INBOX/cur/\(number).host:2,", "INBOX/cur/\(number).host:2,R")
    }
    var sorter = Sorter(lab.tree)
    let start = Self.secondsOfThread()
    #expect(
      try sorter.mark(files, MarkChange.split(["+seen"]).change).count == 2000)
    #expect(Self.secondsOfThread() - start < 5)
  }

  /// What this thread has worked: what others do meanwhile is none of it.
  private static func secondsOfThread() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test func `folders are called as people call them`() throws {
    let lab = try SortingLab()
    try lab.makeFolder("a%3Ab")
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    let tree = lab.tree
    var sorter = Sorter(tree)
    let steps = try sorter.move(lab.files("hello"), to: "a:b", creates: false)
    #expect(steps.map(\.change) == ["move to personal/a:b"])
    #expect(SortingStep.question(steps) == "Move 1 message to personal/a:b?")
    let new = try sorter.move(lab.files("hello"), to: "c:d/e", creates: true)
    #expect(new.map(\.change) == ["move to personal/c:d/e"])
  }
}
