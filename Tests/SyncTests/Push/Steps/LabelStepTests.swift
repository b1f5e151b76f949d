import MailTestKit
import SyncPlan
import Testing

/// `Push/Gmail`: the same changes where mailboxes are labels. Expunging a last label deletes for ever here, so that nobody
/// may rely on it.
struct LabelStepTests {
  enum Change: CaseIterable {
    case move, delete, takeOneLabelOff, addLabel, save

    func make(on stage: Stage) throws {
      switch self {
      case .move: try stage.move("m0", to: "Work")
      case .delete: try stage.remove("m0")
      case .takeOneLabelOff: try stage.reader.remove(stage.local("b0", in: "Work"))
      case .addLabel: try stage.copy("m0", to: "Other")
      case .save: try stage.deliver("n0", to: "Work", flags: "S")
      }
    }

    /// Which message it is about, and where that is then.
    var result: (token: String, places: [String]) {
      switch self {
      case .move: ("m0", ["Work"])
      case .delete: ("m0", ["Trash"])
      case .takeOneLabelOff: ("b0", ["INBOX"])
      case .addLabel: ("m0", ["INBOX", "Other"])
      case .save: ("n0", ["Work"])
      }
    }
  }

  /// b0 is in INBOX and Work.
  private func stage() throws -> Stage {
    var dialect = ServerDialect.gmail
    dialect.labels.lastLabel = .deleteForever
    return try Stage(
      dialect, more: { $0.deliver(SampleMessage(token: "b0"), labelled: ["INBOX", "Work"]) })
  }

  private func expectDone(_ change: Change, _ stage: Stage, _ when: String) {
    let (token, places) = change.result
    #expect(stage.places(token) == places, "\(when)")
    #expect(stage.places("m1") == ["INBOX"], "\(when)")
  }

  @Test(arguments: Change.allCases) func `it is carried out`(change: Change) throws {
    let stage = try stage()
    try change.make(on: stage)
    stage.push()
    expectDone(change, stage, "pushed")
    try stage.expectSettled()
  }

  @Test(arguments: Change.allCases) func `a crash at any point repeats and loses nothing`(
    change: Change
  ) throws {
    try Stage.crashes(
      of: .push, on: stage, { try change.make(on: $0) },
      expect: { expectDone(change, $0, $1) })
  }

  @Test(arguments: Change.allCases) func `whatever refusal it meets, nothing is lost`(
    change: Change
  ) throws {
    try Stage.refusals(
      on: stage, { try change.make(on: $0) },
      expect: { stage, when in
        #expect(!stage.places(change.result.token).isEmpty, "\(when)")
      })
  }
}
