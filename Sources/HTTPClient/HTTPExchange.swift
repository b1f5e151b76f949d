import HTTPWire
import Transport

/// Sends requests, each over a connection and on a thread of its own, and brings back the answers.
///
/// It follows no redirect, asks no proxy, keeps no cookie and writes no log. TLS is as for mail: 1.2 at least, and a
/// certificate that is good for the address's host.
package struct HTTPExchange: Sendable {
  package struct Limits: Sendable {
    /// For the name, the connection and TLS, in seconds.
    package var connecting: Double
    /// For everything, from the beginning to the answer's last byte, in seconds.
    package var whole: Double
    /// In bytes.
    package var body: Int

    package init(connecting: Double, whole: Double, body: Int) {
      self.connecting = connecting
      self.whole = whole
      self.body = body
    }
  }

  private let caFile: String?
  private let limits: Limits

  /// - Parameter caFile: a PEM file with certificates to trust beside the system's.
  package init(caFile: String?, limits: Limits) {
    self.caFile = caFile
    self.limits = limits
  }

  /// Ends at once where the task is cancelled.
  ///
  /// - Parameters:
  ///   - place: a name or an address to connect to in place of the request's host.
  ///   - wantsBody: asked once the head is there; where the body is not wanted, nothing more is read.
  package func answer(
    to request: HTTPRequest, at place: String? = nil,
    wantsBody: @escaping @Sendable (HTTPResponseHead) -> Bool = { _ in true }
  ) async throws(HTTPFailure) -> HTTPResponse {
    let done = Deadline.after(seconds: limits.whole)
    let interrupt = Interrupt()
    let run = HTTPRun(
      request: request, place: place, caFile: caFile, bodyLimit: limits.body,
      connected: min(done, .after(seconds: limits.connecting)), done: done, interrupt: interrupt,
      wantsBody: wantsBody)
    let result = await withTaskCancellationHandler {
      await Self.onThread { run.result }
    } onCancel: {
      interrupt.trigger()
    }
    return try result.get()
  }

  /// The cooperative pool must not wait for a network.
  private static func onThread(
    _ work: @escaping @Sendable () -> Result<HTTPResponse, HTTPFailure>
  ) async -> Result<HTTPResponse, HTTPFailure> {
    await withCheckedContinuation { continuation in
      let hasStarted = startThread(name: "http") { continuation.resume(returning: work()) }
      if !hasStarted { continuation.resume(returning: .failure(.noThread)) }
    }
  }
}
