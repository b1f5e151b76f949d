import Foundation
import MailTestKit
import Testing

/// Symbolic links in a tree, and what stands in a folder's place and is none.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram))
struct PushFolderLinkTests {
  private let stage: PushStage

  init() throws {
    stage = try PushStage(.modern, count: 1) { account in
      for name in ["a", "a/x"] {
        account.add(name)
        account.change(name) { $0.deliver(SampleMessage(token: name.replacing("/", with: ""))) }
      }
    }
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: stage.mirror.account + "/" + name, withDestinationPath: target)
  }

  private func move(_ path: String, to other: String) throws {
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/" + path, toPath: stage.mirror.account + "/" + other)
  }

  private func expectNothingToPush() throws {
    stage.server.forget()
    let outcome = try stage.push()
    #expect(stage.changes == [], "\(outcome.summary)")
    try stage.mirror.pull()
    #expect(stage.places("a") == ["a"] && stage.places("ax") == ["a/x"])
    try stage.push()
    #expect(stage.changes == [])
  }

  @Test(arguments: [
    ["link": "a"], ["link": "a/x"], ["one": ".", "two": "."], ["a/up": "..", "a/round": "../.."],
    ["up": "..", "top": "../.."], ["a/x/back": "../../a"],
  ])
  func `what a link leads back to is no second folder`(links: [String: String]) throws {
    for (name, target) in links { try link(name, to: target) }
    try expectNothingToPush()
  }

  @Test(arguments: ["other", "all"])
  func `a link to another account's mail makes no mailbox of it`(name: String) throws {
    let all = stage.mirror.home + "/all"
    for part in ["/.mirror", "/INBOX/cur", "/INBOX/new", "/INBOX/tmp"] {
      try FileManager.default.createDirectory(
        atPath: all + "/other" + part, withIntermediateDirectories: true)
    }
    try writeFile(all + "/other/.mirror/state.db", "")
    try link(name, to: name == "all" ? all : all + "/other")
    try expectNothingToPush()
  }

  @Test func `a folder that lies elsewhere, behind a link, is a folder`() throws {
    try move("a", to: "../elsewhere")
    try link("a", to: "../elsewhere")
    try expectNothingToPush()
    try stage.deliver("fresh", to: "a/x")
    try stage.push()
    #expect(stage.places("fresh") == ["a/x"])
  }

  /// However many names lead there, and wherever it truly lies: it is the mailbox that has it.
  @Test(arguments: [
    ["real": "a"], ["disk/a": "a"], ["disk/a": "a", "Above": "disk"], ["disk/x": "a/x"],
    ["disk/x": "a/x", "A": "disk"], ["disk/in": "INBOX", "All": "disk/in"],
  ])
  func `a folder behind a link is its mailbox's, wherever it lies`(places: [String: String]) throws
  {
    let disk = stage.mirror.account + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    for (place, folder) in places where stage.account[folder] != nil {
      try move(folder, to: place)
      try link(folder, to: stage.mirror.account + "/" + place)
    }
    for (name, place) in places where stage.account[place] == nil { try link(name, to: place) }
    if places["disk/a"] == nil, places["real"] == nil { try stage.makeFolder("disk/empty") }
    let outcome = try stage.push()
    let made = stage.changes.filter { !$0.contains("empty") && !$0.contains("SUBSCRIBE") }
    #expect(made == [], "\(outcome.summary)")
    try expectNothingToPush()
    // What is new there goes there.
    try stage.deliver("fresh", to: "a/x")
    try stage.push()
    #expect(stage.places("fresh") == ["a/x"])
  }

  @Test func `a folder that was merged into another, and is a link to it, is merged there`() throws
  {
    let old = try stage.local("ax")
    try stage.reader.move(old, to: "a")
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/a/x")
    try link("a/x", to: ".")
    try stage.push()
    #expect(stage.places("ax") == ["a"])
    try stage.deliver("fresh", to: "INBOX")
    try stage.push()
    #expect(stage.places("fresh") == ["INBOX"])
  }

  /// Another program's mark, or one of ours that an index left.
  @Test(arguments: [".noindex", ".mirror/index.db"])
  func `a mark in a folder is no reason to delete`(mark: String) throws {
    let message = try stage.local("ax")
    try move("a", to: "../elsewhere")
    try link("a", to: "../elsewhere")
    try FileManager.default.createDirectory(
      atPath: stage.mirror.account + "/a/x/.mirror", withIntermediateDirectories: true)
    try writeFile(stage.mirror.account + "/a/x/" + mark, "")
    try stage.reader.remove(message)
    try stage.deliver("fresh", to: "a/x")
    let outcome = try stage.mirror.run(["push", "--allow-mass-delete"])
    if mark == ".noindex" {
      #expect(outcome.errorText.contains("“a/x” cannot be looked into"), "\(outcome.summary)")
      #expect(stage.places("ax") == ["a/x"])
    } else {
      #expect(stage.places("ax") == ["Trash"] && stage.places("fresh") == ["a/x"])
    }
  }

  @Test(arguments: [
    "a file for cur", "a link that leads nowhere", "a link above it", "a file", "no cur",
  ])
  func `what is no folder, and stands in its place, is no reason to delete`(what: String) throws {
    let path = stage.mirror.account + "/a/x"
    switch what {
    case "a link that leads nowhere":
      try move("a/x", to: "../unmounted")
      try link("a/x", to: "/nowhere/x")
    case "a link above it":
      // The mailbox above has no mail of its own any more.
      try stage.reader.remove(stage.local("a"))
      try stage.push()
      stage.server.forget()
      try move("a", to: "../unmounted")
      try link("a", to: "/nowhere")
    case "a file":
      try move("a/x", to: "../gone")
      try Data("x".utf8).write(to: URL(fileURLWithPath: path))
    default:
      try FileManager.default.removeItem(atPath: path + "/cur")
      try FileManager.default.removeItem(atPath: path + "/new")
      if what == "a file for cur" {
        try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/cur"))
      }
    }
    for arguments in [["push", "--dry-run"], ["push"], ["push", "--allow-mass-delete"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(outcome.ending == .exited(1), "\(outcome.summary)")
      #expect(outcome.errorText.contains("“a/x” cannot be looked into"), "\(outcome.summary)")
      #expect(!outcome.errorText.contains("allow-mass-delete"), "\(outcome.summary)")
    }
    #expect(stage.places("ax") == ["a/x"] && stage.changes == [])
  }

  /// Names that look as if they were cut short, and hold no file with the rest.
  @Test func `a folder called like a shortened one is called so`() throws {
    let name = "bar%~0123456789abcdef"
    try stage.makeFolder(name)
    try stage.deliver("fresh", to: name)
    try stage.push()
    #expect(stage.places("fresh") == [name])
    try stage.expectSettled()
  }

  @Test func `an empty mailbox without its folder is no fault`() throws {
    stage.account.add("Empty")
    try stage.mirror.pull()
    try move("Empty", to: "../gone")
    try stage.push()
    try stage.mirror.pull()
    #expect(try stage.mirror.run(["verify"]).ending == .exited(0))
    stage.account.change("Empty") { $0.deliver(SampleMessage(token: "first")) }
    try stage.mirror.pull()
    _ = try stage.local("first", in: "Empty")
  }
}
