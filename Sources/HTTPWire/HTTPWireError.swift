/// What makes a request impossible to send, or an answer impossible to read. No case carries what was sent.
package enum HTTPWireError: Error, Equatable, Sendable {
  /// A line break or another control character in the request's target or in a field.
  case unsendable
  /// The connection ended before the first byte of an answer.
  case noAnswer
  /// The first line is no status line of HTTP/1.0 or 1.1, or the server changes to another protocol.
  case notHTTP
  case headTooLarge(limit: Int)
  case malformedField
  /// A Content-Length that is no number, that contradicts another one, or that stands beside Transfer-Encoding.
  case malformedLength
  /// A Transfer-Encoding that is not `chunked` alone.
  case unknownCoding
  case malformedChunk
  /// The connection ended before the answer did.
  case truncated

  /// Goes on after “its answer …” or the like: no capital, no full stop.
  package var words: String {
    switch self {
    case .unsendable: "the request holds a line break where none may be"
    case .noAnswer: "it closed the connection without an answer"
    case .notHTTP: "it does not answer as an HTTP/1.1 server does"
    case .headTooLarge(let limit): "its answer begins with more than \(limit) bytes of header"
    case .malformedField: "its answer has a malformed header"
    case .malformedLength: "its answer has a malformed or contradictory length"
    case .unknownCoding: "its answer has a transfer encoding that was not asked for"
    case .malformedChunk: "its answer is cut into malformed chunks"
    case .truncated: "its answer ended too early"
    }
  }
}
