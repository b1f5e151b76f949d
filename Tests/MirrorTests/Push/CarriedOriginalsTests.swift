import Foundation
import MailTestKit
import Testing

/// Two machines with one account and a tree that is carried between them: what a window lets go, and what a person wrote,
/// is neither deleted nor moved by the other machine's push.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct CarriedOriginalsTests {
  private typealias Machines = CarriedTreeTests.Machines

  /// What one machine's window left behind is missing on the other, too, and no person deleted it.
  @Test(arguments: CarriedTreeTests.First.allCases, ["trash", "expunge"])
  func `what the window left behind on one machine is deleted nowhere`(
    first: CarriedTreeTests.First, deletions: String
  ) throws {
    let machines = try Machines()
    let today = Int64(Date().timeIntervalSince1970)
    try machines.scenario.append(["new0", "new1"], date: today - 86_400)
    for machine in [machines.scenario.mirror, machines.other] { _ = try machine.pull() }
    for machine in [machines.scenario.mirror, machines.other] {
      try machine.configure { $0.sync = "window = \"30d\"\ndeletions = \"\(deletions)\"" }
    }
    try machines.scenario.pull()
    try machines.reader.remove(machines.local("new0"))
    try carryTree(from: machines.scenario.mirror, to: machines.other)
    machines.scenario.proxy.forget()
    if first != .pull { _ = try machines.other.run(["push"]) }
    for machine in [machines.other, machines.scenario.mirror, machines.other] {
      let outcome = try machine.run(["sync", "--no-index"])
      #expect(outcome.status == 0, "\(outcome.summary)")
    }
    for number in 0..<6 { #expect(try machines.scenario.places("m\(number)") == ["INBOX"]) }
    #expect(try machines.scenario.places("new0") == (deletions == "trash" ? ["Trash"] : []))
    #expect(try machines.other.tree()["INBOX"].count == 1)

    // Wanted again, it comes again.
    for machine in [machines.scenario.mirror, machines.other] {
      try machine.configure { $0.sync = "deletions = \"\(deletions)\"" }
    }
    _ = try machines.other.pull()
    #expect(try machines.other.tree()["INBOX"].count == 7)
  }

  /// The other machine pulled later, and has let go of them.
  @Test(arguments: CarriedTreeTests.First.allCases)
  func `what the window left behind is not sent again`(
    first: CarriedTreeTests.First
  )
    throws
  {
    let machines = try Machines()
    let today = Int64(Date().timeIntervalSince1970)
    try machines.scenario.append(["new0"], date: today - 86_400)
    for machine in [machines.scenario.mirror, machines.other] { _ = try machine.pull() }
    try machines.other.configure { $0.sync = "window = \"30d\"" }
    _ = try machines.other.pull()
    #expect(try machines.other.tree()["INBOX"].count == 1)
    try machines.reader.move(machines.local("m5"), to: "Work")
    for _ in 0..<2 {
      try carryTree(from: machines.scenario.mirror, to: machines.other)
      machines.scenario.proxy.forget()
      for command in first == .pull ? [["pull", "--no-index"], ["push"]] : [["push"], ["pull"]] {
        let outcome = try machines.other.run(command)
        #expect(outcome.status == 0, "\(outcome.summary)")
        if command == ["push"] {
          #expect(outcome.errorText.contains("the window leaves out"), "\(outcome.summary)")
        }
      }
      #expect(machines.scenario.appends == [])
      _ = try machines.scenario.mirror.run(["sync", "--no-index"])
    }
    for number in 0..<5 { #expect(try machines.scenario.places("m\(number)") == ["INBOX"]) }
    #expect(try machines.scenario.places("m5") == ["Work"])
  }

  /// Another program filed the server's copy of what a person wrote: the person's own stays where it is.
  @Test(arguments: ["Work", "Trash"])
  func `a copy in Sent is not the one that a person keeps elsewhere`(folder: String) throws {
    let machines = try Machines()
    let message = SampleMessage(token: "own")
    try machines.reader.deliver(
      message.bytes.filter { $0 != 13 }, name: "17.1_own.host", to: folder)
    try machines.scenario.client.append(message, to: "Sent")
    try machines.scenario.pull()
    try machines.scenario.push()
    machines.scenario.proxy.forget()
    try machines.rest()
    try machines.expect("own", in: "Sent", folder)
  }
}
