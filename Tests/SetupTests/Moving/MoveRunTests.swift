import Foundation
import MailCore
import Maildir
import Testing

@testable import Setup

@Suite struct MoveRunTests {
  private let lab: MoveLab
  private let here = "Mail/personal/INBOX"

  init() throws {
    lab = try MoveLab()
    try lab.folders("old/INBOX", "old/Archive.2024")
    try lab.write("old/INBOX/cur/1.a.h,U=1:2,FS")
    try lab.write("old/INBOX/new/2.a.h,U=2", "Message-ID: <b@b>\n\nTwo.\n")
    try lab.write("old/Archive.2024/cur/3.a.h:2,S", "Message-ID: <c@b>\n\nThree.\n")
  }

  private var old: PeerTree {
    PeerTree(name: "old", path: lab.path + "/old", style: .joined("."))
  }

  @Test func `files are linked under their names, and the old tree stays as it is`() throws {
    let report = try lab.move(old)
    #expect(report.mode == .linked && report.taken == 3 && report.messages == 3)
    #expect(report.exitStatus == .done)
    #expect(lab.names(here + "/cur") == ["1.a.h,U=1:2,FS"])
    #expect(lab.names(here + "/new") == ["2.a.h,U=2"])
    #expect(lab.names("Mail/personal/Archive/2024/cur") == ["3.a.h:2,S"])
    #expect(lab.inode(here + "/new/2.a.h,U=2") == lab.inode("old/INBOX/new/2.a.h,U=2"))
    #expect(lab.names("old/INBOX/cur").count == 1 && lab.names("old/INBOX/new").count == 1)
  }

  @Test func `a second run takes nothing, whatever flags and keywords are here by then`() throws {
    _ = try lab.move(old)
    let cur = lab.path + "/" + here + "/cur/"
    #expect(rename(cur + "1.a.h,U=1:2,FS", cur + "1.a.h,U=1:2,F") == 0)
    let tree = try AccountTree.open(path: lab.path + "/Mail/personal", create: false)
    let path = try #require(FolderPath(components: ["INBOX"]))
    let folder = try MaildirFolder.open(path, in: tree)
    _ = try folder.setKeywords(
      ["todo"], of: MessageFile(subdirectory: .new, name: Array("2.a.h,U=2".utf8)),
      policy: MaildirPolicy())
    let names = lab.names(here + "/cur") + lab.names(here + "/new")
    let report = try lab.move(old)
    #expect(report.taken == 0 && report.present == 3 && report.leftOut == [])
    #expect(lab.names(here + "/cur") + lab.names(here + "/new") == names)
    #expect(lab.read("old/INBOX/new/2.a.h,U=2") == "Message-ID: <b@b>\n\nTwo.\n")
  }

  @Test func `what has the name here is never replaced`() throws {
    try lab.folders(here)
    try lab.write(here + "/cur/1.a.h,U=1:2,S", "Message-ID: <other@b>\n\nAnother.\n")
    let report = try lab.move(old)
    #expect(report.taken == 2 && report.leftOut.count == 1 && report.exitStatus == .inPart)
    #expect(report.leftOut.first?.subject.hasSuffix("old/INBOX/cur/1.a.h,U=1:2,FS") == true)
    #expect(lab.read(here + "/cur/1.a.h,U=1:2,S") == "Message-ID: <other@b>\n\nAnother.\n")
    #expect(lab.names(here + "/cur").count == 1)
  }

  @Test func `a rehearsal tells the same and makes nothing`() throws {
    let told = try lab.move(old, isRehearsal: true)
    #expect(lab.names("Mail") == [])
    let done = try lab.move(old)
    #expect(told.folders.map(\.taken) == done.folders.map(\.taken))
    #expect(told.isDryRun && told.mode == done.mode)
  }

  @Test func `copies have the old dates, and files of their own`() throws {
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    let path = lab.path + "/old/INBOX/new/2.a.h,U=2"
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    let report = try lab.move(old, copies: true)
    #expect(report.mode == .copied && report.taken == 3)
    let copy = here + "/new/2.a.h,U=2"
    #expect(lab.read(copy) == "Message-ID: <b@b>\n\nTwo.\n")
    #expect(lab.inode(copy) != lab.inode("old/INBOX/new/2.a.h,U=2"))
    let facts = try FileManager.default.attributesOfItem(atPath: lab.path + "/" + copy)
    #expect(facts[.modificationDate] as? Date == date)
    #expect(lab.names(here + "/tmp") == [])
    #expect(try lab.move(old, copies: true).present == 3)
  }

  @Test func `links lead to their message, and what is none is left out`() throws {
    try lab.write("aside", "Message-ID: <d@b>\n\nAside.\n")
    symlink("../../../aside", lab.path + "/old/INBOX/cur/4.a.h:2,S")
    symlink("nowhere", lab.path + "/old/INBOX/cur/5.a.h:2,S")
    mkfifo(lab.path + "/old/INBOX/cur/6.a.h:2,S", 0o600)
    let report = try lab.move(old)
    #expect(report.taken == 4)
    #expect(lab.inode("aside") == lab.inode(here + "/cur/4.a.h:2,S"))
    #expect(lab.names(here + "/cur").count == 2)
    #expect(report.leftOut.count == 2)
  }
}
