import SASL

/// A ``NetworkStream`` with the TLS policy that STARTTLS will need.
package final class NetworkByteStream: ByteStream {
  private let stream: NetworkStream
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

  package func awaitBytes(or bell: Doorbell, before deadline: Deadline) throws -> ByteWait {
    try stream.awaitBytes(or: bell, before: deadline)
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String?
  ) throws {
    try stream.write(bytes, before: deadline, logAs: logAs)
  }

  package func startTLS(before deadline: Deadline) throws {
    try stream.startTLS(policy, before: deadline)
  }

  package func startCompression(alreadyRead: [UInt8]) throws {
    // Untyped on purpose: Swift 6.3.1 crashes while it compiles the typed closure.
    try alreadyRead.withUnsafeBytes { (bytes) throws -> Void in
      try stream.startCompression(alreadyRead: bytes)
    }
  }

  package func close() { stream.close() }

  package var unacknowledged: Int { stream.unacknowledged }
  package var interrupt: Interrupt? {
    get { stream.interrupt }
    set { stream.interrupt = newValue }
  }
  package var dropsUnsentBytes: Bool {
    get { stream.dropsUnsentBytes }
    set { stream.dropsUnsentBytes = newValue }
  }
  package var isEncrypted: Bool { stream.isEncrypted }
  package var isPeerLoopback: Bool { stream.isPeerLoopback }
  package var hidesTraffic: Bool {
    get { stream.hidesTraffic }
    set { stream.hidesTraffic = newValue }
  }
  package func hide(_ mask: SecretMask) { stream.hide(mask) }
  package var preferredChannelBinding: ChannelBinding? { stream.preferredChannelBinding }
}
