import SASL
import Transport

/// A connection as a session needs it: ``Transport/NetworkStream``, or a script in tests.
package protocol SMTPByteStream: AnyObject {
  /// Reads at least one byte; 0 at the end of the stream.
  func read(into room: UnsafeMutableRawBufferPointer, before deadline: Deadline) throws -> Int
  /// Writes everything. `logAs` stands in the wire log for bytes that are secret or a message's.
  func write(_ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String?) throws
  func startTLS(before deadline: Deadline) throws
  func close()

  var isEncrypted: Bool { get }
  /// By the peer's address: the only place where plain text may go.
  var isPeerLoopback: Bool { get }
  /// Set while authenticating: the wire log shows no lines.
  var hidesTraffic: Bool { get set }
  /// What the wire log must not show from now on.
  func hide(_ mask: SecretMask)
  var preferredChannelBinding: ChannelBinding? { get }
}

/// A ``NetworkStream`` with the TLS policy that STARTTLS will need.
package final class NetworkSMTPStream: SMTPByteStream {
  package let stream: NetworkStream
  private let policy: TLSPolicy

  package init(_ stream: NetworkStream, policy: TLSPolicy) {
    self.stream = stream
    self.policy = policy
  }

  package func read(into room: UnsafeMutableRawBufferPointer, before deadline: Deadline) throws
    -> Int
  {
    try stream.read(into: room, before: deadline)
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String?
  ) throws {
    try stream.write(bytes, before: deadline, logAs: logAs)
  }

  package func startTLS(before deadline: Deadline) throws {
    try stream.startTLS(policy, before: deadline)
  }

  package func close() { stream.close() }

  package var isEncrypted: Bool { stream.isEncrypted }
  package var isPeerLoopback: Bool { stream.isPeerLoopback }
  package var hidesTraffic: Bool {
    get { stream.hidesTraffic }
    set { stream.hidesTraffic = newValue }
  }
  package func hide(_ mask: SecretMask) { stream.hide(mask) }
  package var preferredChannelBinding: ChannelBinding? { stream.preferredChannelBinding }
}
