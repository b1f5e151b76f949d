import HTTPWire
import MailCore
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

  /// Where requests may go.
  package enum Reach: Sendable {
    /// Anywhere with TLS, without it only to this machine.
    case safely
    /// To public addresses only, with TLS and without: for addresses that a message names; no secret is sent.
    case publicPlaces
  }

  private let caFile: String?
  private let limits: Limits
  private let reach: Reach

  /// - Parameter caFile: a PEM file with certificates to trust beside the system's.
  package init(caFile: String?, limits: Limits, reach: Reach = .safely) {
    self.caFile = caFile
    self.limits = limits
    self.reach = reach
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
    let interrupt = Interrupt()
    let run = run(request, at: place, interrupt, wantsBody, { _ in true })
    let result = await withTaskCancellationHandler {
      await Self.onThread { run.result }
    } onCancel: {
      interrupt.trigger()
    }
    return try result.get()
  }

  /// **Blocks**: for who has a thread of its own.
  ///
  /// - Parameter hasRoom: asked for each piece of the body that has come, by its bytes; where there is none, it is too large.
  package func waitForAnswer(
    to request: HTTPRequest,
    wantsBody: @escaping @Sendable (HTTPResponseHead) -> Bool = { _ in true },
    hasRoom: @escaping @Sendable (Int) -> Bool = { _ in true }
  ) -> Result<HTTPResponse, HTTPFailure> {
    run(request, at: nil, Interrupt(), wantsBody, hasRoom).result
  }

  private func run(
    _ request: HTTPRequest, at place: String?, _ interrupt: Interrupt,
    _ wantsBody: @escaping @Sendable (HTTPResponseHead) -> Bool,
    _ hasRoom: @escaping @Sendable (Int) -> Bool
  ) -> HTTPRun {
    let done = Deadline.after(seconds: limits.whole)
    return HTTPRun(
      request: request, place: place, caFile: caFile, reach: reach, bodyLimit: limits.body,
      connected: min(done, .after(seconds: limits.connecting)), done: done, interrupt: interrupt,
      wantsBody: wantsBody, hasRoom: hasRoom)
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
