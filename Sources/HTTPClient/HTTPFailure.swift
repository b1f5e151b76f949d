import HTTPWire
import MailCore
import Transport

/// Why a request has no answer. No case carries what was sent.
package enum HTTPFailure: Error, Equatable, Sendable {
  /// The time for the whole exchange is over.
  case timedOut
  /// The task was cancelled.
  case interrupted
  case transport(TransportError)
  case malformed(HTTPWireError)
  /// The body is larger than asked for, or was announced to be.
  case bodyTooLarge(limit: Int)
  case noThread
  /// Without TLS, and not to this machine, whatever its name says.
  case notEncrypted

  /// Without a full stop, for a place within a sentence.
  package var words: String {
    switch self {
    case .timedOut: return "no answer in time"
    case .interrupted: return "interrupted"
    case .transport(let error):
      return error.explanation.problem.withoutPeriod
    case .malformed(let error): return error.words
    case .bodyTooLarge(let limit): return "its answer is larger than \(limit) bytes"
    case .notEncrypted: return "its address is not encrypted"
    case .noThread: return "this machine gives no more threads"
    }
  }
}
