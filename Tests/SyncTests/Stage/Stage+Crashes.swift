import Ledger
import MailTestKit
import State
import SyncPlan
import Testing

/// A run that dies at every of its events, or whose every command is refused: whatever was left half way, the next runs
/// bring it to the same end.
extension Stage {
  /// - Parameters:
  ///   - make: a stage before the change.
  ///   - change: what the run is to carry over.
  ///   - agrees: both sides have the same messages in the end.
  ///   - later: what a person does before the next run.
  ///   - expect: how all must be in the end.
  /// - Returns: the names of the stages that the dead runs left in the journal.
  @discardableResult static func crashes(
    of run: Run, on make: () throws -> Stage = { try Stage() }, agrees: Bool = true,
    location: SourceLocation = #_sourceLocation,
    _ change: (Stage) throws -> Void, then later: (Stage) throws -> Void = { _ in },
    expect: (Stage, String) throws -> Void
  ) throws -> Set<String> {
    var left: Set<String> = []
    func stage() throws -> Stage {
      let stage = try make()
      try change(stage)
      stage.forget()
      return stage
    }
    let whole = try stage()
    whole.fuse.arm(nil)
    whole.play(run)
    let events = whole.fuse.events
    #expect(events > 0, "there is something to die at", sourceLocation: location)
    try later(whole)
    for next in [Run.push, .pull] { whole.play(next) }
    try whole.expectSettled("undisturbed", agrees: agrees, location: location)
    try expect(whole, "undisturbed")
    for event in 0..<events {
      for (place, next) in [
        (Fuse.Place.before(event), [Run.pull, .push, .pull]),
        (.after(event), [.push, .pull, .push]),
      ] {
        let when = "\(place) of \(events)"
        let stage = try stage()
        stage.fuse.arm(place)
        stage.play(run)
        for step in try stage.journal() {
          left.insert(String("\(step.stage)".prefix { $0 != "(" }))
        }
        try later(stage)
        for next in next { stage.play(next) }
        try stage.expectSettled(when, agrees: agrees, location: location)
        try expect(stage, when)
      }
    }
    return left
  }

  /// What a dead run has under way.
  private func journal() throws -> [PushStep] {
    let state = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { state.shut() }
    return try state.pushSteps()
  }

  /// Of a push: each of its changing commands is refused once, in each of these ways; later pushes may ask again.
  ///
  /// - Parameter agrees: both sides have the same messages in the end.
  static func refusals(
    on make: () throws -> Stage = { try Stage() }, agrees: Bool = true,
    location: SourceLocation = #_sourceLocation,
    _ change: (Stage) throws -> Void, expect: (Stage, String) throws -> Void
  ) throws {
    let words = [
      "NO no", "NO [CANNOT] never", "NO [NOPERM] not yours", "NO [UNAVAILABLE] later", "BAD what?",
    ]
    let whole = try make()
    try change(whole)
    whole.forget()
    whole.push()
    let commands = whole.changes
    #expect(!commands.isEmpty, "there is something to refuse", sourceLocation: location)
    for number in commands.indices {
      for words in words {
        let when = "\(words) to \(commands[number].prefix(40))"
        let stage = try make()
        try change(stage)
        stage.forget()
        stage.refusalOfOne.value = (number, words)
        stage.push(nil)
        stage.refusalOfOne.value = nil
        stage.push(nil, PushOptions(full: true))
        for next in [Run.pull, .push, .pull] { stage.play(next) }
        try stage.expectSettled(when, agrees: agrees, location: location)
        try expect(stage, when)
      }
    }
  }
}
