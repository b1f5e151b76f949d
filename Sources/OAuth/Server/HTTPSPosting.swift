import AsyncHTTPClient
import MailCore
import NIOCore
import NIOSSL

/// Posts over HTTPS. Follows no redirect: what was sent is for one server alone.
///
/// Every request has a client of its own, which it outlives by nothing: there are few of them, and a program that
/// needs no token starts no thread for it.
package struct HTTPSPosting: FormPosting {
  private let caFile: String?
  private let timeLimit: Duration

  /// - Parameters:
  ///   - caFile: a PEM file with certificates to trust beside the system's.
  ///   - timeLimit: for one request from its beginning to the answer's last byte.
  package init(caFile: String? = nil, timeLimit: Duration = .seconds(30)) {
    self.caFile = caFile
    self.timeLimit = timeLimit
  }

  package func post(_ form: [UInt8], to url: String, authorization: Secret?)
    async throws(OAuthError) -> FormAnswer
  {
    let host = Addresses.host(of: url)
    guard Addresses.isSafe(url) else {
      throw .unreachable(host: host, reason: "its address is not encrypted")
    }
    let request = Self.request(form, url, authorization)
    do {
      let answer = try await limited { try await perform(request) }
      guard let answer else {
        throw OAuthError.unreachable(
          host: host, reason: "no answer within \(timeLimit.components.seconds) seconds")
      }
      return answer
    } catch {
      throw Self.failure(error, host: host)
    }
  }

  private static func request(_ form: [UInt8], _ url: String, _ authorization: Secret?)
    -> HTTPClientRequest
  {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "User-Agent", value: "mirror")
    if let authorization {
      request.headers.add(
        name: "Authorization",
        value: authorization.withBytes { String(decoding: $0, as: UTF8.self) })
    }
    request.body = .bytes(form, length: .known(Int64(form.count)))
    return request
  }

  private func perform(_ request: HTTPClientRequest) async throws -> FormAnswer {
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      let response = try await client.execute(request, timeout: .seconds(60))
      var body: [UInt8] = []
      for try await chunk in response.body {
        body += chunk.readableBytesView
        guard body.count <= FormAnswer.bodyLimit else { throw TooLarge() }
      }
      try? await client.shutdown()
      return FormAnswer(status: Int(response.status.code), body: body)
    } catch {
      try? await client.shutdown()
      throw error
    }
  }

  private struct TooLarge: Error {}

  private var configuration: HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let caFile { tls.additionalTrustRoots = [.file(caFile)] }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(15), read: .seconds(30)))
    configuration.httpVersion = .http1Only
    // Else a certificate that nobody trusts, or a port where nobody is, is asked for until the time is up.
    configuration.connectionPool.retryConnectionEstablishment = false
    return configuration
  }

  /// Nil when time is up; the library's own deadline ends with the answer's head.
  private func limited(_ work: @escaping @Sendable () async throws -> FormAnswer) async throws
    -> FormAnswer?
  {
    try await withThrowingTaskGroup(of: FormAnswer?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: timeLimit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// The library's errors tell of sockets and states; none holds what was sent.
  private static func failure(_ error: any Error, host: String) -> OAuthError {
    switch error {
    case let error as OAuthError: return error
    case is CancellationError: return .interrupted
    case is TooLarge:
      return .malformedAnswer(
        host: host, reason: "its answer is larger than \(FormAnswer.bodyLimit) bytes")
    case let error as HTTPClientError where error == .cancelled:
      return .interrupted
    case is NIOSSLError, is NIOSSLExtraError:
      return .unreachable(
        host: host,
        reason: "its certificate cannot be trusted (is this machine’s clock right?), or it speaks "
          + "no TLS")
    default: break
    }
    return .unreachable(host: host, reason: String(String(describing: error).prefix(200)).visible)
  }
}
