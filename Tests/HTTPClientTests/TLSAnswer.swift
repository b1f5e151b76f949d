import MailTestKit

/// Sends the same bytes over TLS to everybody who has sent a header, and ends the connection.
final class TLSAnswer: Sendable {
  let port: UInt16
  private let process: Supervised

  static let isPossible = findProgram("python3") != nil && findProgram("openssl") != nil

  /// - Parameter saysGoodbye: TLS ends with its close_notify, else the connection does without.
  init(_ pair: Certificates.Pair, _ answer: String, saysGoodbye: Bool) throws {
    port = try freePort()
    let script = """
      import socket, ssl, sys
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(sys.argv[2], sys.argv[3])
      listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
      while True:
          try:
              plain, _ = listener.accept()
              stream = context.wrap_socket(plain, server_side=True)
              head = b""
              while b"\\r\\n\\r\\n" not in head:
                  more = stream.recv(65536)
                  if not more:
                      break
                  head += more
              stream.sendall(sys.argv[4].encode())
              if sys.argv[5] == "goodbye":
                  stream.unwrap()
              stream.close()
          except OSError:
              pass
      """
    process = try Supervised([
      "python3", "-c", script, String(port), pair.certificate, pair.key, answer,
      saysGoodbye ? "goodbye" : "cut",
    ])
    try waitForPort(port)
  }
}
