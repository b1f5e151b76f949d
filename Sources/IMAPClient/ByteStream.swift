import SASL

/// A connection as a session needs it: ``Transport/NetworkStream``, or a script in tests.
package protocol ByteStream: AnyObject {
  /// Reads at least one byte; 0 at the end of the stream.
  func read(into room: UnsafeMutableRawBufferPointer, seconds: Double) throws -> Int
  /// Writes everything. `logAs` stands in the wire log for bytes that are secret.
  func write(_ bytes: UnsafeRawBufferPointer, seconds: Double, logAs: String?) throws
  func startTLS(seconds: Double) throws
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
