import HTTPClient
import HTTPWire
import MailCore

/// Posts forms to an authorisation server over HTTPS and brings back its answers. Follows no redirect: what was sent is
/// for one server alone.
///
/// Every request has a connection and a thread of its own: there are few of them, and a program that needs no token
/// starts neither.
package struct HTTPSPosting: Sendable {
  private let exchange: HTTPExchange
  private let timeLimit: Duration

  /// - Parameters:
  ///   - caFile: a PEM file with certificates to trust beside the system's.
  ///   - timeLimit: for one request from its beginning to the answer's last byte.
  package init(caFile: String? = nil, timeLimit: Duration = .seconds(30)) {
    self.timeLimit = timeLimit
    exchange = HTTPExchange(
      caFile: caFile,
      limits: .init(connecting: 15, whole: timeLimit / .seconds(1), body: FormAnswer.bodyLimit))
  }

  /// - Parameters:
  ///   - form: the body, URL-encoded. Secret.
  ///   - authorization: the value of that header. Secret.
  /// - Throws: ``OAuthError/unreachable(host:reason:)``, ``OAuthError/malformedAnswer(host:reason:)``, or
  ///   ``OAuthError/interrupted`` where the task was cancelled.
  package func post(_ form: [UInt8], to url: String, authorization: Secret?)
    async throws(OAuthError) -> FormAnswer
  {
    let host = Addresses.host(of: url)
    guard Addresses.isSafe(url) else { throw .notEncrypted(host: host) }
    guard let address = HTTPAddress(url) else { throw .unreadableAddress(host: host) }
    do throws(HTTPFailure) {
      let response = try await exchange.answer(to: Self.request(form, address, authorization))
      return FormAnswer(status: response.head.status, body: response.body)
    } catch {
      throw failure(error, host: host)
    }
  }

  private static func request(_ form: [UInt8], _ address: HTTPAddress, _ authorization: Secret?)
    -> HTTPRequest
  {
    var request = HTTPRequest(.post, address)
    request.fields = [
      HTTPField("Content-Type", "application/x-www-form-urlencoded"),
      HTTPField("Accept", "application/json"), HTTPField("User-Agent", "mirror"),
    ]
    request.authorization = authorization
    request.body = Secret(form)
    return request
  }

  private func failure(_ failure: HTTPFailure, host: String) -> OAuthError {
    switch failure {
    case .interrupted: return .interrupted
    case .timedOut: return .noAnswer(host: host, seconds: timeLimit.components.seconds)
    case .bodyTooLarge: return .malformedAnswer(host: host, reason: failure.words)
    case .transport(.certificate), .transport(.handshake), .transport(.notTLS),
      .transport(.protocolTooOld):
      return .untrusted(host: host)
    case .transport, .malformed, .noThread, .notEncrypted:
      return .unreachable(host: host, reason: String(failure.words.prefix(200)).visible)
    }
  }
}
