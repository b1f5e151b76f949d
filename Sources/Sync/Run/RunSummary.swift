import SyncPlan

/// The kinds of work on an account that take its lock and leave a record.
enum RunKind: String, CaseIterable {
  case pull, push, revert, fill, stub

  /// As the lock's words tell it.
  var program: String { "mirror " + rawValue }
  /// The same of a run that a watch does.
  var programOfWatch: String { "mirror watch (\(rawValue))" }

  /// What the lock's words tell of a run; nil where they are another program's.
  init?(program: String) {
    guard
      let kind = Self.allCases.first(where: { [$0.program, $0.programOfWatch].contains(program) })
    else { return nil }
    self = kind
  }
}

/// What a run tells of itself, whichever way it goes.
protocol RunSummary: Encodable {
  var account: String { get }
  var seconds: Double { get set }
  var exitStatus: Int32 { get }
  var isLogInRefused: Bool { get set }
  var isCrowded: Bool { get set }
  mutating func add(_ problem: RunProblem)
}

extension RunSummary {
  /// With what ended the run before its time.
  func with(_ error: (any Error)?) -> Self {
    var whole = self
    if let error { whole.add(RunProblem(error)) }
    return whole
  }
}

extension PullSummary: RunSummary {}
extension FillSummary: RunSummary {}
extension PushSummary: RunSummary {}
extension RevertSummary: RunSummary {}
