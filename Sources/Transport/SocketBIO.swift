import COpenSSL

/// The way from OpenSSL to our socket: recv and send with our flags (no SIGPIPE), never waiting.
enum SocketBIO {
  // Made once, never freed; BIO_METHODs are immutable once in use.
  nonisolated(unsafe) private static let method = makeMethod()

  /// A BIO over `socket`, which must outlive it; nil when memory is out.
  static func make(over socket: Socket) -> OpaquePointer? {
    guard let method, let bio = BIO_new(method) else { return nil }
    BIO_set_data(bio, Unmanaged.passUnretained(socket).toOpaque())
    BIO_set_init(bio, 1)
    return bio
  }

  private static func makeMethod() -> OpaquePointer? {
    let kind = BIO_get_new_index() | Int32(BIO_TYPE_SOURCE_SINK)
    guard let method = BIO_meth_new(kind, "mirror socket") else { return nil }
    BIO_meth_set_read_ex(method) { bio, bytes, length, count in
      guard let bio, let bytes, let socket = SocketBIO.socket(of: bio) else { return 0 }
      return SocketBIO.finish(
        bio, socket.receive(bytes, length), retry: BIO_FLAGS_READ, count: count)
    }
    BIO_meth_set_write_ex(method) { bio, bytes, length, count in
      guard let bio, let bytes, let socket = SocketBIO.socket(of: bio) else { return 0 }
      return SocketBIO.finish(
        bio, socket.send(bytes, length), retry: BIO_FLAGS_WRITE, count: count)
    }
    BIO_meth_set_ctrl(method) { bio, command, _, _ in
      switch command {
      case BIO_CTRL_FLUSH, BIO_CTRL_DUP: return 1
      case BIO_CTRL_EOF: return bio.flatMap(SocketBIO.socket(of:))?.sawEnd == true ? 1 : 0
      default: return 0
      }
    }
    return method
  }

  private static func socket(of bio: OpaquePointer) -> Socket? {
    BIO_get_data(bio).map { Unmanaged<Socket>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func finish(
    _ bio: OpaquePointer, _ outcome: Socket.Outcome, retry: Int32,
    count: UnsafeMutablePointer<Int>?
  ) -> Int32 {
    BIO_clear_flags(
      bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY)
    guard let socket = socket(of: bio) else { return 0 }
    switch outcome {
    case .moved(let bytes):
      count?.pointee = bytes
      return 1
    case .wouldBlock: BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY)
    case .ended: socket.sawEnd = true
    case .failed(let code): socket.lastError = code
    }
    return 0
  }
}
