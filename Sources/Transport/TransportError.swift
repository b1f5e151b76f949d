import MailCore

/// Why a connection could not be made, or ended.
package enum TransportError: Error, Equatable, Sendable {
  package enum Activity: CaseIterable, Equatable, Sendable {
    case resolving, connecting, handshake, reading, writing
  }

  case cannotResolve(Endpoint, reason: String)
  case refused(Endpoint)
  case unreachable(Endpoint, reason: String)
  case timedOut(Activity, Endpoint)
  case certificate(CertificateProblem, Endpoint)
  /// The server speaks nothing newer than TLS 1.1.
  case protocolTooOld(Endpoint)
  case handshake(Endpoint, reason: String)
  /// What answers on the port does not speak TLS.
  case notTLS(Endpoint)
  case trustFile(path: String, reason: String)
  /// Something came between the server's consent to TLS and the handshake.
  case bytesBeforeTLS(Endpoint)
  case closed(Endpoint)
  case reset(Endpoint)
  case io(Endpoint, reason: String)
  case compression(Endpoint, reason: String)
  case interrupted

  /// The connection broke while it was in use: worth a new one.
  package var isLost: Bool {
    switch self {
    case .timedOut, .closed, .reset, .io, .compression: true
    case .cannotResolve, .refused, .unreachable, .certificate, .protocolTooOld, .handshake, .notTLS,
      .trustFile, .bytesBeforeTLS, .interrupted:
      false
    }
  }
}

extension TransportError: Explained {
  package var explanation: Explanation {
    switch self {
    case .certificate(let problem, let endpoint): problem.explanation(at: endpoint)
    case .trustFile(let path, let reason):
      Explanation(
        problem: "The trust file “\(path.visible)” cannot be used: \(reason).",
        remedy: "Let `ca-file` name a readable file of PEM certificates.",
        exitStatus: .configuration)
    case .interrupted: Explanation(problem: "Interrupted.", exitStatus: .interrupted)
    default:
      Explanation(problem: problem, again: again, remedy: remedy, exitStatus: .unreachable)
    }
  }

  private var problem: String {
    switch self {
    case .cannotResolve(let endpoint, let reason):
      "The host name “\(endpoint.host.visible)” cannot be resolved: \(reason)."
    case .refused(let endpoint): "\(endpoint) refuses connections."
    case .unreachable(let endpoint, let reason): "\(endpoint) cannot be reached: \(reason)."
    case .timedOut(.reading, let endpoint):
      "The connection to \(endpoint) is dead: nothing came while an answer was due."
    case .timedOut(let activity, let endpoint):
      "\(endpoint) took too long: no answer while \(activity.words)."
    case .protocolTooOld(let endpoint): "\(endpoint) offers no TLS version from 1.2 on; refused."
    case .handshake(let endpoint, let reason): "TLS with \(endpoint) failed: \(reason)."
    case .notTLS(let endpoint): "\(endpoint) does not answer with TLS."
    case .bytesBeforeTLS(let endpoint):
      "\(endpoint) sent data between its consent to TLS and the handshake; "
        + "refused, as someone may have slipped it in."
    case .closed(let endpoint): "\(endpoint) closed the connection."
    case .reset(let endpoint): "The connection to \(endpoint) was cut."
    case .io(let endpoint, let reason): "The connection to \(endpoint) failed: \(reason)."
    case .compression(let endpoint, let reason):
      "\(endpoint) sent compressed data that cannot be read: \(reason)."
    case .certificate, .trustFile, .interrupted: ""
    }
  }

  private var again: String? {
    switch self {
    case .timedOut(.reading, _), .timedOut(.writing, _), .closed, .reset, .io:
      "Run it again: it goes on from where it stopped."
    case .timedOut: "Try again later."
    default: nil
    }
  }

  private var remedy: String? {
    switch self {
    case .cannotResolve: "Check `host` in the configuration, and that you are online."
    case .refused: "Check `host` and `port`."
    case .unreachable: "Check that you are online."
    case .timedOut(.reading, _), .timedOut(.writing, _):
      "If that never helps, check `host`, `port`, and that no firewall is in between."
    case .timedOut: "Check `host`, `port`, and that no firewall is in between."
    case .protocolTooOld: "The server has to be updated; older versions are not safe."
    case .notTLS: "Check `port` and `tls`: 993 is usual for \"implicit\", 143 for \"starttls\"."
    case .bytesBeforeTLS: "Use tls = \"implicit\" if the server offers it."
    case .closed, .reset, .io, .compression, .handshake, .certificate, .trustFile, .interrupted: nil
    }
  }
}

extension TransportError.Activity {
  fileprivate var words: String {
    switch self {
    case .resolving: "looking up its name"
    case .connecting: "connecting"
    case .handshake: "setting up TLS"
    case .reading: "waiting for data"
    case .writing: "sending"
    }
  }
}
