import Testing

/// Tries a test at a terminal up to three times, each from its beginning, where what it waited for never showed.
///
/// A program on a screen can miss a key while the machine is busy; thrice is no accident. An expectation that
/// fails counts at once, whatever comes of another try.
struct TriedAgain: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    for attempt in 1...2 {
      do {
        return try await function()
      } catch {
        print("\(test.name), try \(attempt): \(error)")
      }
    }
    try await function()
  }
}

extension Trait where Self == TriedAgain {
  static var triedAgain: Self { TriedAgain() }
}
