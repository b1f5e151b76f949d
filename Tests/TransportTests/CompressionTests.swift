import CZlib
import MailCore
import Testing

@testable import Transport

struct CompressionTests {
  private let text = (0..<20_000).map { "response \($0 * 7919 % 1000)\r\n" }.joined()

  @Test(arguments: [1, 2, 100, 4096, 300_000])
  func `what was compressed comes back, whatever the buffer`(size: Int) throws {
    let wanted = Array((size == 1 ? String(text.prefix(3000)) : text).utf8)
    let compressed = Deflated.sync(wanted)
    let server = LoopbackServer { LoopbackServer.sendAll($0, compressed) }
    let stream = try connect(server.port)
    try stream.startCompression()
    #expect(try readAll(stream, size: size) == wanted)
  }

  @Test func `bytes that came along with the consent are part of the stream`() throws {
    let compressed = Deflated.sync(Array(text.utf8))
    for cut in [0, 1, 5, compressed.count / 2, compressed.count] {
      let rest = Array(compressed[cut...])
      let server = LoopbackServer { LoopbackServer.sendAll($0, rest) }
      let stream = try connect(server.port)
      try compressed[..<cut].withUnsafeBytes { early in
        try stream.startCompression(alreadyRead: early)
      }
      #expect(try readAll(stream) == Array(text.utf8), "cut at \(cut)")
    }
  }

  @Test func `output that fills the buffer exactly is followed by the rest`() throws {
    // All input is taken at once, and the inflater holds the rest: no read may wait for more.
    let wanted = [UInt8](repeating: 65, count: 1 << 20)
    let compressed = Deflated.sync(wanted)
    let server = LoopbackServer { descriptor in
      LoopbackServer.sendAll(descriptor, compressed)
      while LoopbackServer.receive(descriptor) != nil {}  // stays open
    }
    let stream = try connect(server.port)
    try stream.startCompression()
    var left = wanted.count
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
    defer { buffer.deallocate() }
    while left > 0 { left -= try stream.read(into: buffer, before: .after(seconds: 60)) }
    #expect(left == 0)
  }

  @Test func `what is no deflate data is an error`() throws {
    let server = LoopbackServer { LoopbackServer.sendAll($0, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) }
    let stream = try connect(server.port)
    try stream.startCompression()
    #expect(throws: TransportError.self) { _ = try readAll(stream) }
  }

  @Test func `every write can be understood at once`() throws {
    let server = LoopbackServer { descriptor in
      var inflater = Inflated()
      while let bytes = LoopbackServer.receive(descriptor) {
        // Answers with what it has understood so far, compressed as well.
        LoopbackServer.sendAll(descriptor, Deflated.sync(Array("\(inflater.feed(bytes))\n".utf8)))
        return
      }
    }
    for size in [1, 1000, 200_000] {
      let stream = try connect(server.port)
      try stream.startCompression()
      try stream.write([UInt8](repeating: 66, count: size), before: .after(seconds: 60))
      #expect(try readLine(stream) == "\(size)")
    }
  }

  @Test func `random bytes never crash the inflater`() throws {
    for _ in 0..<200 {
      let junk = (0..<Int.random(in: 1...300)).map { _ in UInt8.random(in: 0...255) }
      let layer = try DeflateLayer(
        endpoint: Endpoint(host: "h", port: 1),
        alreadyRead: UnsafeRawBufferPointer(start: nil, count: 0))
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
      defer { buffer.deallocate() }
      var left = junk[...]
      var produced = 1
      while produced > 0 {
        produced =
          (try? layer.read(into: buffer) { input throws(TransportError) in
            let piece = left.prefix(min(input.count, 7))
            left = left.dropFirst(piece.count)
            input.copyBytes(from: piece)
            return piece.count
          }) ?? 0
      }
    }
  }
}

enum Deflated {
  /// Raw deflate with a sync flush at the end.
  static func sync(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(
      &stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count * 2 + 1000)
    let left = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        deflate(&stream, Z_SYNC_FLUSH)
        return Int(stream.avail_out)
      }
    }
    return Array(output.dropLast(left))
  }
}

struct Inflated {
  /// How many bytes the compressed ones hold.
  mutating func feed(_ bytes: [UInt8]) -> Int {
    var stream = z_stream()
    inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: 1 << 20)
    return input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        inflate(&stream, Z_SYNC_FLUSH)
        return target.count - Int(stream.avail_out)
      }
    }
  }
}
