import Foundation
import MailTestKit
import Testing

/// `Mailbox/Download/PendingBatch`: the files of one batch are named while the next one comes.
struct PendingBatchTests {
  /// Three batches and a half, in which a file that is here already is matched, and a message that two mailboxes have.
  private func deliver(_ stage: Stage, batch: Int = 2, hasFile: Bool = true) throws {
    stage.batch = batch
    stage.reopen()
    for number in 0..<7 {
      stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "n\(number)")) }
    }
    if hasFile { try stage.deliver("n3", to: "INBOX") }
    for number in [1, 5] {
      stage.account.change("Work") { $0.deliver(SampleMessage(token: "n\(number)")) }
    }
  }

  private func expectAll(_ stage: Stage, _ when: String) throws {
    for number in 0..<7 {
      let places = [1, 5].contains(number) ? ["INBOX", "Work"] : ["INBOX"]
      #expect(stage.places("n\(number)") == places, "\(when)")
      #expect(try stage.folders(of: "n\(number)") == places, "\(when)")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: stage.path + "/INBOX/tmp")
    #expect(left == [], "\(when)")
  }

  @Test(arguments: [1, 2, 3, 100]) func `batches of any size bring all`(batch: Int) throws {
    let stage = try Stage()
    try deliver(stage, batch: batch)
    let summary = stage.pull()
    #expect(summary.new == 9)
    try expectAll(stage, "in batches of \(batch)")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit loses and doubles nothing`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, { try deliver($0) }, expect: expectAll)
  }

  /// Of five records under old numbers two and two are committed together. The fifth waits for the end, and what was changed
  /// here meanwhile with it: no batch before may end what it was.
  @Test func `nor where the mailbox is renumbered as well`() throws {
    func change(_ stage: Stage) throws {
      try deliver(stage, hasFile: false)
      for token in ["m0", "m4"] { try stage.remove(token) }
      stage.account.change("INBOX") { $0.renumber(from: 50) }
    }
    func expect(_ stage: Stage, _ when: String) throws {
      try expectAll(stage, when)
      for token in ["m0", "m4"] { #expect(stage.places(token) == ["Trash"], "\(when)") }
    }
    try Stage.crashes(of: .pull, on: { try Stage(count: 5) }, change, expect: expect)
  }
}
