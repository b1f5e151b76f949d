import MailTestKit
import SASL
import Transport

/// A connection to a server in memory, until its fuse burns.
final class MemoryStream: ByteStream {
  private let connection: ModelConnection
  private let fuse: Fuse

  init(_ connection: ModelConnection, _ fuse: Fuse) {
    self.connection = connection
    self.fuse = fuse
  }

  func read(into room: UnsafeMutableRawBufferPointer, before deadline: Deadline) throws -> Int {
    try fuse.check()
    let bytes = connection.read(room.count)
    // Everything was answered already: whoever still waits would wait for ever.
    if bytes.isEmpty, !connection.isOver {
      throw TransportError.timedOut(.reading, Endpoint(host: "memory", port: 143))
    }
    room.copyBytes(from: bytes)
    return bytes.count
  }

  func write(_ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String?) throws {
    try fuse.check()
    if connection.isOver { throw TransportError.closed(Endpoint(host: "memory", port: 143)) }
    connection.write(bytes)
    try fuse.check()
  }

  func startTLS(before deadline: Deadline) throws {}
  func startCompression(alreadyRead: [UInt8]) throws {}
  func close() {}

  var isEncrypted: Bool { true }
  var isPeerLoopback: Bool { true }
  var hidesTraffic = false
  func hide(_ mask: SecretMask) {}
  var preferredChannelBinding: ChannelBinding? { nil }
}
