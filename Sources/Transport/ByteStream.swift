import SASL

/// A connection as a session of IMAP or SMTP needs it: ``NetworkByteStream``, or a script in tests.
package protocol ByteStream: AnyObject {
  /// Reads at least one byte; 0 at the end of the stream.
  func read(into room: UnsafeMutableRawBufferPointer, before deadline: Deadline) throws -> Int
  /// Writes everything. `logAs` stands in the wire log for bytes that are secret or a message's.
  func write(_ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String?) throws
  func startTLS(before deadline: Deadline) throws
  /// - Parameter alreadyRead: compressed bytes that were read with the command's completion.
  func startCompression(alreadyRead: [UInt8]) throws
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
