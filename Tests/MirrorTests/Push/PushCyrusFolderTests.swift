import Foundation
import MailTestKit
import Testing

/// Folders made, renamed and exchanged, on Cyrus: with and without all of a person's mailboxes below INBOX.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasCyrus)) struct PushCyrusFolderTests {
  /// Short names of mailboxes, and the server's: `Work` or `INBOX/Work`.
  private struct Stage {
    let scenario: Scenario
    let prefix: String
    let reader: Reader

    init(isBelowINBOX: Bool) throws {
      scenario = try Scenario(cyrus: CyrusServer.shared(isBelowINBOX: isBelowINBOX))
      prefix = isBelowINBOX ? "INBOX/" : ""
      reader = Reader(scenario.mirror)
      for (name, letter) in [("Work", "w"), ("Work/sub", "s"), ("Team", "t")] {
        try scenario.client.create(prefix + name)
        try scenario.append((0..<3).map { "\(letter)\($0)" }, to: prefix + name)
      }
      try scenario.pull()
    }

    func path(_ name: String) -> String { scenario.mirror.account + "/" + prefix + name }

    func rename(_ name: String, to other: String) throws {
      try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
    }

    func makeFolder(_ name: String, with token: String) throws {
      for part in ["cur", "new", "tmp"] {
        try FileManager.default.createDirectory(
          atPath: "\(path(name))/\(part)", withIntermediateDirectories: true)
      }
      try reader.deliver(
        SampleMessage(token: token).bytes.filter { $0 != 13 }, name: "17.\(token).host",
        to: prefix + name)
    }

    func expect(_ places: [String: String], location: SourceLocation = #_sourceLocation) throws {
      for (token, place) in places {
        let found = try scenario.places(token)
        #expect(found == [prefix + place], "\(token)", sourceLocation: location)
      }
    }

    /// Commands of the last run that cost bytes of messages, or made copies.
    var transfers: [String] { scenario.proxy.commands(named: ["APPEND", "MOVE", "COPY"]) }
  }

  @Test(arguments: [false, true])
  func `a renamed folder takes those below along, and its old names are free for new ones`(
    isBelowINBOX: Bool
  ) throws {
    let stage = try Stage(isBelowINBOX: isBelowINBOX)
    try stage.rename("Work", to: "Job")
    try stage.makeFolder("Work/sub", with: "fresh")
    try stage.reader.setFlags(#require(try stage.scenario.local("w0@")), "FS")
    try stage.scenario.push()
    #expect(stage.transfers.count == 1, "\(stage.transfers)")
    try stage.expect([
      "w0": "Job", "w2": "Job", "s0": "Job/sub", "s2": "Job/sub", "fresh": "Work/sub", "t0": "Team",
    ])
    #expect(
      try stage.scenario.remote("w0", in: stage.prefix + "Job")?.flags.contains("\\Flagged") == true
    )
    try stage.scenario.pull()
    #expect(stage.scenario.bodyFetches == [])
    try stage.scenario.expectSettled()
  }

  @Test(arguments: [false, true])
  func `two folders that exchanged their names stay what they are`(isBelowINBOX: Bool) throws {
    let stage = try Stage(isBelowINBOX: isBelowINBOX)
    try stage.rename("Work", to: "between")
    try stage.rename("Team", to: "Work")
    try stage.rename("between", to: "Team")
    try stage.scenario.push()
    // Neither name is new, so it is their messages that change places.
    #expect(stage.transfers.allSatisfy { $0.contains("MOVE") }, "\(stage.transfers)")
    try stage.expect(["w0": "Team", "s0": "Team/sub", "t0": "Work"])
    try stage.scenario.pull()
    #expect(stage.scenario.bodyFetches == [])
    try stage.scenario.expectSettled()
  }

  @Test(arguments: [false, true])
  func `what was done in a folder goes to the mailbox that the server renamed meanwhile`(
    isBelowINBOX: Bool
  ) throws {
    let stage = try Stage(isBelowINBOX: isBelowINBOX)
    try stage.scenario.client.rename(stage.prefix + "Work", to: stage.prefix + "Past")
    try stage.reader.setFlags(#require(try stage.scenario.local("w0@")), "FS")
    try stage.reader.move(#require(try stage.scenario.local("t0@")), to: stage.prefix + "Work")
    try stage.reader.deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_2.host",
      to: stage.prefix + "Work/sub")
    for _ in 0..<2 {
      stage.scenario.proxy.forget()
      _ = try stage.scenario.mirror.run(["sync", "--no-index"])
      #expect(stage.scenario.bodyFetches == [])
    }
    try stage.expect([
      "w0": "Past", "w2": "Past", "s0": "Past/sub", "t0": "Past", "fresh": "Past/sub", "t1": "Team",
    ])
    #expect(
      try stage.scenario.remote("w0", in: stage.prefix + "Past")?.flags.contains("\\Flagged")
        == true)
    try stage.scenario.expectSettled()
  }
}
