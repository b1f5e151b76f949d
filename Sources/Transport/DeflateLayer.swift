import CZlib

/// Raw deflate in both directions (RFC 4978 §3), with bounded buffers on either side.
///
/// What comes out of the inflater goes straight into the reader's buffer, so no answer, however well it
/// was compressed, takes more memory than that.
final class DeflateLayer {
  private static let inputSize = 64 << 10
  private static let outputSize = 32 << 10

  private let endpoint: Endpoint
  // zlib keeps pointers into its own state: the structures must not move.
  private let inflater = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let deflater = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let input: UnsafeMutableRawBufferPointer
  private let output: UnsafeMutableRawBufferPointer
  /// Compressed bytes that had been read together with the server's consent.
  private var early: [UInt8]
  /// The last call filled the reader's buffer: the inflater may hold more.
  private var mayHoldMore = false
  private var hasEnded = false

  var mayHoldBytes: Bool { mayHoldMore || !early.isEmpty }

  init(endpoint: Endpoint, alreadyRead: UnsafeRawBufferPointer) throws(TransportError) {
    self.endpoint = endpoint
    early = Array(alreadyRead)
    input = .allocate(byteCount: Self.inputSize, alignment: 16)
    output = .allocate(byteCount: Self.outputSize, alignment: 16)
    inflater.initialize(to: z_stream())
    deflater.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    let inflating = inflateInit2_(inflater, -MAX_WBITS, ZLIB_VERSION, size)
    let deflating = deflateInit2_(
      deflater, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      size)
    guard inflating == Z_OK, deflating == Z_OK else {
      throw .compression(endpoint, reason: "zlib cannot be set up")
    }
  }

  deinit {
    inflateEnd(inflater)
    deflateEnd(deflater)
    inflater.deallocate()
    deflater.deallocate()
    input.deallocate()
    output.deallocate()
  }

  /// Inflates into `buffer`; `receive` fills the buffer it is given with compressed bytes, 0 at the end.
  func read(
    into buffer: UnsafeMutableRawBufferPointer,
    receive: (UnsafeMutableRawBufferPointer) throws(TransportError) -> Int
  ) throws(TransportError) -> Int {
    guard let base = buffer.baseAddress, !hasEnded else { return 0 }
    let room = min(buffer.count, 1 << 30)
    inflater.pointee.next_out = base.assumingMemoryBound(to: UInt8.self)
    inflater.pointee.avail_out = UInt32(room)
    while true {
      if inflater.pointee.avail_in == 0, !mayHoldMore {
        let count = try refill(receive)
        if count == 0 { return 0 }
      }
      let status = inflate(inflater, Z_SYNC_FLUSH)
      mayHoldMore = inflater.pointee.avail_out == 0
      let produced = room - Int(inflater.pointee.avail_out)
      switch status {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END: hasEnded = true
      default: throw .compression(endpoint, reason: reason(status))
      }
      if produced > 0 || hasEnded { return produced }
    }
  }

  private func refill(_ receive: (UnsafeMutableRawBufferPointer) throws(TransportError) -> Int)
    throws(TransportError) -> Int
  {
    let count: Int
    if early.isEmpty {
      count = try receive(input)
    } else {
      count = min(early.count, input.count)
      input.copyBytes(from: early.prefix(count))
      early.removeFirst(count)
    }
    inflater.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    inflater.pointee.avail_in = UInt32(count)
    return count
  }

  /// Deflates all of `bytes` with a sync flush at the end, so that the server can act on it.
  func write(
    _ bytes: UnsafeRawBufferPointer,
    send: (UnsafeRawBufferPointer) throws(TransportError) -> Void
  ) throws(TransportError) {
    var rest = bytes
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
      try compress(piece, flush: rest.isEmpty ? Z_SYNC_FLUSH : Z_NO_FLUSH, send: send)
    }
  }

  private func compress(
    _ piece: UnsafeRawBufferPointer, flush: Int32,
    send: (UnsafeRawBufferPointer) throws(TransportError) -> Void
  ) throws(TransportError) {
    // zlib reads only; its structure lacks the const.
    deflater.pointee.next_in = UnsafeMutablePointer(
      mutating: piece.baseAddress?.assumingMemoryBound(to: UInt8.self))
    deflater.pointee.avail_in = UInt32(piece.count)
    repeat {
      deflater.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      deflater.pointee.avail_out = UInt32(output.count)
      let status = deflate(deflater, flush)
      guard status == Z_OK || status == Z_BUF_ERROR else {
        throw .compression(endpoint, reason: "zlib error \(status)")
      }
      let produced = output.count - Int(deflater.pointee.avail_out)
      if produced > 0 { try send(UnsafeRawBufferPointer(rebasing: output.prefix(produced))) }
    } while deflater.pointee.avail_out == 0
  }

  private func reason(_ status: Int32) -> String {
    inflater.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)"
  }
}
