import MailCore
import Testing

@testable import Transport

struct ExplanationTests {
  private static let endpoint = Endpoint(host: "mail\u{1B}.example", port: 993)
  private static let problems: [CertificateProblem] = [
    .selfSigned(subject: "CN=x"), .unknownIssuer(issuer: "CN=y"), .expired(on: "Jan 1"),
    .notYetValid(until: "Jan 2"), .wrongHost(names: ""), .wrongHost(names: "DNS:z"), .revoked,
    .tooWeak(reason: "short key"), .other(reason: "odd"),
  ]
  private static let errors: [TransportError] =
    [
      .cannotResolve(endpoint, reason: "no such name"), .refused(endpoint),
      .unreachable(endpoint, reason: "no route"), .protocolTooOld(endpoint),
      .handshake(endpoint, reason: "alert"), .notTLS(endpoint),
      .trustFile(path: "/a\u{7}b", reason: "not there"), .bytesBeforeTLS(endpoint),
      .closed(endpoint), .reset(endpoint), .io(endpoint, reason: "odd"),
      .compression(endpoint, reason: "bad data"), .interrupted,
    ] + TransportError.Activity.allCases.map { .timedOut($0, endpoint) }
    + problems.map { .certificate($0, endpoint) }

  @Test(arguments: errors) func `every error is a whole sentence that drives no terminal`(
    error: TransportError
  ) {
    let explanation = error.explanation
    for text in [explanation.problem, explanation.remedy ?? "-."] {
      #expect(text.count > 1 && text.hasSuffix("."))
      #expect(text == text.visible)
    }
    switch error {
    case .trustFile: #expect(explanation.exitStatus == .configuration)
    case .interrupted: #expect(explanation.exitStatus == .interrupted)
    default: #expect(explanation.exitStatus == .unreachable)
    }
  }

  @Test func `only a connection in use can be lost`() {
    for error in Self.errors where error.isLost {
      switch error {
      case .timedOut, .closed, .reset, .io, .compression: break
      default: Issue.record("\(error)")
      }
    }
    #expect(Self.errors.contains { $0.isLost })
  }
}
