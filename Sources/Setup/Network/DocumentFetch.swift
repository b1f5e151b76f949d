import AsyncHTTPClient
import Foundation
import MailCore
import NIOCore
import NIOSSL

/// Gets small documents by HTTPS: verified certificates, at most three redirects, none of them to plain HTTP or from
/// outside to this machine, one megabyte, eight seconds each.
package struct DocumentFetch: Sendable {
  package static let sizeLimit = 1 << 20
  package static let redirectLimit = 3

  package enum Failure: Error, Equatable, Sendable {
    case notHTTPS(String)
    /// No answer; the reason in the library's words.
    case unreachable(String)
    case certificate
    case timedOut
    case status(Int)
    case tooLarge
    case redirectToPlainHTTP(String)
    /// From a server elsewhere; the host it names.
    case redirectHere(String)
    case tooManyRedirects

    /// Follows the name of the host; nil where it is only that there is no such document.
    package var words: String? {
      switch self {
      case .unreachable, .timedOut, .status, .notHTTPS: nil
      case .certificate:
        "shows a certificate that is not its own; a network that wants you to log in first (a "
          + "captive portal) does that"
      case .tooLarge: "sent a document of more than a megabyte, which was cut off"
      case .redirectToPlainHTTP: "redirects to plain HTTP, where anybody could change the answer"
      case .redirectHere(let host):
        "redirects to \(host.visible), which is this very machine; that was not followed"
      case .tooManyRedirects: "redirects without end"
      }
    }
  }

  let nameServer: NameServer
  /// Authorities to trust beside the system's, in PEM.
  let caFile: String?
  var seconds: Int64 = 8

  package init(nameServer: NameServer, caFile: String?) {
    self.nameServer = nameServer
    self.caFile = caFile
  }

  package func fetch(_ address: String) async throws(Failure) -> [UInt8] {
    let first = address
    var address = address
    for _ in 0...Self.redirectLimit {
      switch try await one(address) {
      case .document(let bytes): return bytes
      case .redirect(let target):
        try await refuseWayIn(from: first, to: target)
        address = target
      }
    }
    throw .tooManyRedirects
  }

  /// A test's servers, and a person's own, may send to one another.
  func refuseWayIn(from first: String, to target: String) async throws(Failure) {
    let nameServer = nameServer
    let hosts = [URL(string: first)?.host ?? "", URL(string: target)?.host ?? ""]
    let areHere = await onThread { hosts.map { LocalAddress.isLocal($0, nameServer) } }
    if areHere[1], !areHere[0] { throw .redirectHere(hosts[1]) }
  }

  private enum Step: Sendable {
    case document([UInt8])
    case redirect(String)
  }

  private func one(_ address: String) async throws(Failure) -> Step {
    guard let url = URL(string: address), url.scheme?.lowercased() == "https",
      let host = url.host, !host.isEmpty
    else { throw .notHTTPS(address) }
    let client = HTTPClient(
      eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: await configuration(host))
    let result: Result<Step, Failure>
    do {
      result = .success(try await step(client, address, url))
    } catch let failure as Failure {
      result = .failure(failure)
    } catch {
      result = .failure(Self.failure(error))
    }
    try? await client.shutdown()
    return try result.get()
  }

  private func step(_ client: HTTPClient, _ address: String, _ url: URL) async throws -> Step {
    var request = HTTPClientRequest(url: address)
    request.headers.add(name: "Accept", value: "text/xml, application/xml, */*;q=0.1")
    request.headers.add(name: "User-Agent", value: "mirror")
    let response = try await client.execute(request, timeout: .seconds(seconds))
    switch response.status.code {
    case 200:
      let body = try await response.body.collect(upTo: Self.sizeLimit)
      return .document(Array(body.readableBytesView))
    case 301, 302, 303, 307, 308:
      guard let location = response.headers.first(name: "Location"),
        let target = URL(string: location, relativeTo: url)?.absoluteURL
      else { throw Failure.status(Int(response.status.code)) }
      guard target.scheme?.lowercased() == "https" else {
        throw Failure.redirectToPlainHTTP(target.absoluteString)
      }
      return .redirect(target.absoluteString)
    case let code: throw Failure.status(Int(code))
    }
  }

  private func configuration(_ host: String) async -> HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    // Until the other side agrees to the end, what it still sends is read: little of it where it sends without end.
    tls.shutdownTimeout = .milliseconds(100)
    if let caFile { tls.additionalTrustRoots = [.file(caFile)] }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(seconds), read: .seconds(seconds)))
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    if nameServer.isOverridden {
      let nameServer = nameServer
      let target = await onThread { nameServer.connectable(host) }
      // A name that the override does not know must not be asked of the real world.
      configuration.dnsOverride = [host: target == host ? "127.0.0.1" : target]
    }
    return configuration
  }

  private static func failure(_ error: any Error) -> Failure {
    if error is NIOTooManyBytesError { return .tooLarge }
    if let error = error as? HTTPClientError {
      let late: [HTTPClientError] = [
        .readTimeout, .connectTimeout, .deadlineExceeded, .tlsHandshakeTimeout, .cancelled,
        .getConnectionFromPoolTimeout,
      ]
      return late.contains(error) ? .timedOut : .unreachable("\(error)")
    }
    let words = "\(error)"
    let isCertificate =
      words.contains("CERTIFICATE_VERIFY_FAILED") || words.contains("failedToValidateHostname")
      || words.contains("Hostname") || words.contains("unableToValidateCertificate")
    return isCertificate ? .certificate : .unreachable(words)
  }
}
