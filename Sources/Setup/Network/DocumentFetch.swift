import Foundation
import HTTPClient
import HTTPWire
import MailCore

/// Gets small documents by HTTPS: verified certificates, at most three redirects, none of them to plain HTTP or from
/// outside to this machine, one megabyte, eight seconds each.
package struct DocumentFetch: Sendable {
  package static let sizeLimit = 1 << 20
  package static let redirectLimit = 3

  package enum Failure: Error, Equatable, Sendable {
    case notHTTPS(String)
    /// No answer, and why.
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
  var seconds = 8.0

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
    let hosts = [HTTPAddress(first)?.host ?? "", HTTPAddress(target)?.host ?? ""]
    let areHere = await onOwnThread { hosts.map { LocalAddress.isLocal($0, nameServer) } }
    if areHere[1], !areHere[0] { throw .redirectHere(hosts[1]) }
  }

  private enum Step: Sendable {
    case document([UInt8])
    case redirect(String)
  }

  private func one(_ address: String) async throws(Failure) -> Step {
    guard let url = URL(string: address), let place = HTTPAddress(address), place.isEncrypted else {
      throw .notHTTPS(address)
    }
    var request = HTTPRequest(.get, place)
    request.fields = [
      HTTPField("Accept", "text/xml, application/xml, */*;q=0.1"),
      HTTPField("User-Agent", "mirror"),
    ]
    let exchange = HTTPExchange(
      caFile: caFile, limits: .init(connecting: seconds, whole: seconds, body: Self.sizeLimit))
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try await exchange.answer(to: request, at: await override(place.host)) { head in
        head.status == 200
      }
    } catch {
      throw Self.failure(error)
    }
    return try Self.step(response, url)
  }

  private static func step(_ response: HTTPResponse, _ url: URL) throws(Failure) -> Step {
    switch response.head.status {
    case 200: return .document(response.body)
    case 301, 302, 303, 307, 308:
      guard let location = response.head.value(of: "Location"),
        let target = URL(string: location, relativeTo: url)?.absoluteURL
      else { throw .status(response.head.status) }
      guard target.scheme?.lowercased() == "https" else {
        throw .redirectToPlainHTTP(target.absoluteString)
      }
      return .redirect(target.absoluteString)
    case let code: throw .status(code)
    }
  }

  /// Where to connect in place of `host`; nil where the system knows that.
  private func override(_ host: String) async -> String? {
    guard nameServer.isOverridden else { return nil }
    let nameServer = nameServer
    let target = await onOwnThread { nameServer.connectable(host) }
    // A name that the override does not know must not be asked of the real world.
    return target == host ? "127.0.0.1" : target
  }

  private static func failure(_ failure: HTTPFailure) -> Failure {
    switch failure {
    case .timedOut, .interrupted, .transport(.timedOut): .timedOut
    case .transport(.certificate): .certificate
    case .bodyTooLarge: .tooLarge
    case .transport, .malformed, .noThread, .notEncrypted: .unreachable(failure.words)
    }
  }
}
