import Foundation
import MailTestKit
import Setup
import Testing

@testable import MirrorCLI

/// `mirror forget`, cut off after each of its steps.
@Suite struct AccountRemovalTests {
  private struct Lab {
    let directory: TemporaryDirectory
    var root: String { directory.path + "/mail" }
    var configuration: String { directory.path + "/config.toml" }
    let forgotten = Locked(0)

    init() throws {
      directory = try TemporaryDirectory("forget")
      for part in ["cur", "new", "tmp"] {
        try FileManager.default.createDirectory(
          atPath: "\(root)/work/INBOX/\(part)", withIntermediateDirectories: true)
      }
      try FileManager.default.createDirectory(
        atPath: root + "/work/.mirror/outbox", withIntermediateDirectories: true)
      try writeFile(root + "/work/.mirror/state.db", Array("state".utf8))
      try writeFile(root + "/work/INBOX/cur/1.host:2,S", Array("Subject: a\n\nb\n".utf8))
      let account = { (name: String) in
        """
        [accounts.\(name)]
        email = "\(name)@example.org"
        [accounts.\(name).imap]
        host = "imap.example.org"
        password-command = ["true"]

        """
      }
      try writeFile(
        configuration, Array(("root = \"\(root)\"\n" + account("work") + account("home")).utf8))
    }

    func removal() throws -> AccountRemoval {
      AccountRemoval(
        root: root, account: "work",
        file: try ConfigurationFile(path: configuration, environment: ["HOME": directory.path]),
        forgetSecrets: { [forgotten] in forgotten.change { $0 += 1 } })
    }

    var isThere: Bool { FileManager.default.fileExists(atPath: root + "/work") }
    var hasState: Bool {
      FileManager.default.fileExists(atPath: root + "/work/.mirror/state.db")
    }
    var text: String {
      String(decoding: FileManager.default.contents(atPath: configuration) ?? Data(), as: UTF8.self)
    }
  }

  @Test(arguments: 0...AccountRemoval.Step.allCases.count)
  func `cut off after a step, another call ends it`(steps: Int) throws {
    let lab = try Lab()
    let first = try lab.removal()
    for step in AccountRemoval.Step.allCases.prefix(steps) { try first.perform(step) }
    // The tree is there as a whole, or not at all.
    #expect(lab.isThere == (steps == 0))
    let again = try lab.removal()
    #expect(again.isUnfinished == (1..<AccountRemoval.Step.allCases.count).contains(steps))
    for step in AccountRemoval.Step.allCases { try again.perform(step) }
    #expect(!lab.isThere && !again.isUnfinished)
    #expect(!FileManager.default.fileExists(atPath: lab.root + "/.mirror/forgotten"))
    #expect(!lab.text.contains("work") && lab.text.contains("[accounts.home.imap]"))
    #expect(lab.forgotten.value > 0)
  }

  @Test func `a tree that a link leads to is emptied, its state first`() throws {
    let lab = try Lab()
    let elsewhere = lab.directory.path + "/elsewhere"
    try FileManager.default.moveItem(atPath: lab.root + "/work", toPath: elsewhere)
    try FileManager.default.createSymbolicLink(
      atPath: lab.root + "/work", withDestinationPath: elsewhere)
    let removal = try lab.removal()
    for step in AccountRemoval.Step.allCases { try removal.perform(step) }
    #expect(!lab.isThere)
    #expect(!FileManager.default.fileExists(atPath: elsewhere))
  }

  @Test func `the last account leaves a configuration that init adds to`() throws {
    let lab = try Lab()
    let removal = try lab.removal()
    try removal.perform(.configuration)
    let home = AccountRemoval(
      root: lab.root, account: "home",
      file: try ConfigurationFile(path: lab.configuration, environment: [:]), forgetSecrets: {})
    try home.perform(.configuration)
    #expect(lab.text == "root = \"\(lab.root)\"\n")
    let file = try ConfigurationFile(path: lab.configuration, environment: [:])
    #expect(file.accounts == [] && file.root == lab.root)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: lab.directory.path).sorted()
        == ["config.toml", "mail"], "no copy with secrets is left")
  }
}
