import MailCore
import Testing
import Transport

/// Reads one line without its line end; nil when the peer has ended.
func readLine(_ stream: NetworkStream, before deadline: Deadline = .after(seconds: 20)) throws
  -> String?
{
  var line: [UInt8] = []
  try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
    while try stream.read(into: byte, before: deadline) > 0, byte[0] != UInt8(ascii: "\n") {
      line.append(byte[0])
    }
  }
  if line.last == UInt8(ascii: "\r") { line.removeLast() }
  return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
}

/// Everything until the peer ends, read in pieces of `size`.
func readAll(_ stream: NetworkStream, size: Int = 65536) throws -> [UInt8] {
  var all: [UInt8] = []
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
  defer { buffer.deallocate() }
  while true {
    let count = try stream.read(into: buffer, before: .after(seconds: 20))
    if count == 0 { return all }
    all += buffer.prefix(count)
  }
}

func send(_ stream: NetworkStream, _ text: String) throws {
  try stream.write(Array(text.utf8), before: .after(seconds: 20))
}

func connect(
  _ port: UInt16, host: String = "127.0.0.1", _ policy: TLSPolicy? = nil,
  interrupt: Interrupt? = nil, log: WireLog? = nil, seconds: Double = 20
) throws(TransportError) -> NetworkStream {
  try NetworkStream.connect(
    Endpoint(host: host, port: port), security: policy.map { .implicit($0) } ?? .plain,
    interrupt: interrupt, log: log, before: .after(seconds: seconds))
}

/// Trusts the tests' own authority.
func trustingPolicy() -> TLSPolicy { TLSPolicy(caFile: TestCertificates.shared.authority) }
