import MailCore

/// Posts forms to an authorisation server and brings back its answers.
package protocol FormPosting: Sendable {
  /// - Parameters:
  ///   - form: the body, URL-encoded. Secret.
  ///   - authorization: the value of that header. Secret.
  /// - Throws: ``OAuthError/unreachable(host:reason:)``, ``OAuthError/malformedAnswer(host:reason:)``, or
  ///   ``OAuthError/interrupted`` where the task was cancelled.
  func post(_ form: [UInt8], to url: String, authorization: Secret?) async throws(OAuthError)
    -> FormAnswer
}

package struct FormAnswer: Sendable {
  /// Of HTTP.
  package var status: Int
  /// At most ``bodyLimit`` bytes.
  package var body: [UInt8]

  /// No honest answer is as large.
  package static let bodyLimit = 64 << 10

  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}
