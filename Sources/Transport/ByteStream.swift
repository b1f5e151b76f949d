import SASL

/// A connection as a session of IMAP or SMTP needs it: ``NetworkByteStream``, or a script in tests.
package protocol ByteStream: AnyObject {
  /// Reads at least one byte; 0 at the end of the stream.
  func read(into room: UnsafeMutableRawBufferPointer, before deadline: Deadline) throws -> Int
  /// Waits until there is something to read, or the bell rings. A read may find nothing all the same.
  func awaitBytes(or bell: Doorbell, before deadline: Deadline) throws -> ByteWait
  /// Writes everything. `logAs` stands in the wire log for bytes that are secret or a message's.
  func write(_ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String?) throws
  func startTLS(before deadline: Deadline) throws
  /// - Parameter alreadyRead: compressed bytes that were read with the command's completion.
  func startCompression(alreadyRead: [UInt8]) throws
  func close()

  /// Bytes that were written and that the peer has not confirmed.
  var unacknowledged: Int { get }
  /// What ends its waits: another's, once the connection is another's to use.
  var interrupt: Interrupt? { get set }
  /// Whether what the system still holds goes nowhere once the connection is closed, or its process has died: else a whole
  /// message may reach the server long after both.
  var dropsUnsentBytes: Bool { get set }
  var isEncrypted: Bool { get }
  /// By the peer's address: the only place where plain text may go.
  var isPeerLoopback: Bool { get }
  /// Set while authenticating: the wire log shows no lines.
  var hidesTraffic: Bool { get set }
  /// What the wire log must not show from now on.
  func hide(_ mask: SecretMask)
  var preferredChannelBinding: ChannelBinding? { get }
}

package enum ByteWait: Sendable {
  case bytes, rung, timedOut
}

/// What reads at once needs no more.
extension ByteStream {
  package func awaitBytes(or bell: Doorbell, before deadline: Deadline) -> ByteWait { .bytes }
  package var unacknowledged: Int { 0 }
  package var interrupt: Interrupt? {
    get { nil }
    set {}
  }
  package var dropsUnsentBytes: Bool {
    get { false }
    set {}
  }
}

extension ByteStream {
  /// Reads as `read(into:before:)` does, and gives a line more time on which what was sent is still leaving.
  ///
  /// - Parameter seconds: how much more, as often as there is less on the way than before.
  package func read(
    into room: UnsafeMutableRawBufferPointer, before deadline: Deadline,
    extendedBy seconds: Double
  ) throws -> Int {
    var deadline = deadline
    var onTheWay = Int.max
    while true {
      do {
        return try read(into: room, before: deadline)
      } catch TransportError.timedOut(.reading, let endpoint) {
        let left = unacknowledged
        guard left > 0, left < onTheWay else { throw TransportError.timedOut(.reading, endpoint) }
        onTheWay = left
        deadline = .after(seconds: seconds)
      }
    }
  }
}
