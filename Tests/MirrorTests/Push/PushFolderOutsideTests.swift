import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Mail in directories of the account that are no folders of it: it is not gone (promise 4).
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushFolderOutsideTests {
  /// Bytes that are no UTF-8.
  private func make(_ name: [UInt8], in stage: PushStage) throws -> [UInt8] {
    let path = Array((stage.mirror.account + "/").utf8) + name
    for part in ["", "/tmp", "/new", "/cur"] {
      let made = (path + Array(part.utf8) + [0]).withUnsafeBytes {
        mkdir($0.bindMemory(to: CChar.self).baseAddress!, 0o700)
      }
      try #require(made == 0)
    }
    return path
  }

  private func move(_ message: LocalMessage, of stage: PushStage, to folder: [UInt8]) {
    let old = Array("\(stage.mirror.account)/\(message.path)".utf8) + [0]
    let new = folder + Array("/cur/\(message.name)".utf8) + [0]
    rename(old, new)
  }

  private func rename(_ old: [UInt8], _ new: [UInt8]) {
    let moved = old.withUnsafeBytes { old in
      new.withUnsafeBytes { new in
        Glibc.rename(
          old.bindMemory(to: CChar.self).baseAddress!, new.bindMemory(to: CChar.self).baseAddress!)
      }
    }
    #expect(moved == 0)
  }

  @Test func `what was moved to a folder whose name is no text is not deleted`() throws {
    let stage = try PushStage(.modern)
    let folder = try make(Array("Entw".utf8) + [0xFC] + Array("rfe".utf8), in: stage)
    try move(stage.local("m0"), of: stage, to: folder)
    try stage.deliver("fresh", to: "Work")
    for arguments in [["push", "--dry-run"], ["push"], ["push", "--allow-mass-delete"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(outcome.ending == .exited(1), "\(outcome.summary)")
      #expect(outcome.errorText.contains("“Entw\\xFCrfe” has a name"), "\(outcome.errorText)")
      #expect(outcome.errorText.contains("may lie in “Entw\\xFCrfe”"), "\(outcome.errorText)")
      #expect(stage.places("m0") == ["INBOX"])
    }
    #expect(stage.places("fresh") == ["Work"], "new mail does not wait")
    rename(folder + [0], Array((stage.mirror.account + "/Entwuerfe").utf8) + [0])
    try stage.push()
    #expect(stage.places("m0") == ["Entwuerfe"])
    try stage.expectSettled()
  }

  @Test(arguments: [
    ("nested", ".hid"), ("nested", "Work/.hid"), ("nested", "Work/.a/b"), ("maildir++", "Plain"),
    ("maildir++", ".Work/sub"),
  ])
  func `what was moved to a folder that is passed over is not deleted`(
    layout: String, folder: String
  ) throws {
    let stage = try PushStage(.modern, sync: "layout = \"\(layout)\"")
    try stage.makeFolder(folder)
    let message = try stage.local("m0")
    try stage.reader.move(message, to: folder)
    try stage.reader.remove(stage.local("m1"))
    for arguments in [["push", "--dry-run"], ["push"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(outcome.ending == .exited(1), "\(outcome.summary)")
      let words = "now in “\(folder)”, which is not mirrored"
      #expect(outcome.errorText.contains(words), "\(outcome.errorText)")
    }
    #expect(stage.places("m0") == ["INBOX"] && stage.places("m1") == ["Trash"])
    try stage.reader.move(stage.local("m0"), to: message.folder)
    try stage.push()
    #expect(stage.places("m0") == ["INBOX"])
  }

  @Test func `what was moved to a directory that another tool passes over is not deleted`() throws {
    let stage = try PushStage(.modern)
    try stage.makeFolder("Away")
    try writeFile(stage.mirror.account + "/Away/.noindex", "")
    try stage.reader.move(stage.local("m0"), to: "Away")
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("now in “Away”"), "\(outcome.errorText)")
    #expect(stage.places("m0") == ["INBOX"])
  }

  @Test func `what was moved to a part of a folder is not deleted`() throws {
    let stage = try PushStage(.modern)
    try FileManager.default.createDirectory(
      atPath: stage.mirror.account + "/Half/cur", withIntermediateDirectories: true)
    let message = try stage.local("m0")
    let half = Array((stage.mirror.account + "/Half").utf8)
    move(message, of: stage, to: half)
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("may lie in “Half”"), "\(outcome.errorText)")
    #expect(stage.places("m0") == ["INBOX"])
    try stage.makeFolder("Half")
    try stage.push()
    #expect(stage.places("m0") == ["Half"])
  }

  @Test func `a folder that was hidden renames no mailbox`() throws {
    let stage = try PushStage(.modern) { account in
      account.change("Work") { box in
        for number in 0..<3 { box.deliver(SampleMessage(token: "w\(number)")) }
      }
    }
    let account = stage.mirror.account
    try FileManager.default.moveItem(atPath: account + "/Work", toPath: account + "/.Work")
    try stage.push(1)
    #expect(stage.changes == [] && stage.places("w0") == ["Work"])
    try FileManager.default.moveItem(atPath: account + "/.Work", toPath: account + "/Work")
    try stage.expectSettled()
  }

  @Test func `a link to the account itself hides nothing`() throws {
    let stage = try PushStage(.modern)
    try FileManager.default.createSymbolicLink(
      atPath: stage.mirror.account + "/.loop", withDestinationPath: ".")
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.reader.remove(stage.local("m1"))
    try stage.push()
    #expect(stage.places("m0") == ["Work"] && stage.places("m1") == ["Trash"])
  }
}
