import MailTestKit
import Testing

extension MirrorProgram {
  /// Runs a command by query.
  @discardableResult
  func sort(
    _ arguments: String..., status: Int32 = 0, location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    let outcome = try run(arguments)
    #expect(outcome.status == status, "\(outcome.summary)", sourceLocation: location)
    return outcome
  }
}

extension SampleMessage {
  /// What finds the message with this token, and no other.
  static func query(_ token: String) -> String { "id:\(token)@example.org" }
}
