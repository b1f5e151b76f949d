/// A certificate authority of the tests, and server certificates good and bad.
package final class Certificates: Sendable {
  package let directory: String
  /// What `ca-file` names.
  package var authority: String { directory + "/ca.pem" }

  package struct Pair: Sendable {
    package let certificate: String
    package let key: String
  }

  package init(in directory: String) throws {
    self.directory = directory
    try makeDirectory(directory)
    try writeFile(
      directory + "/ca.conf",
      """
      [req]
      distinguished_name = dn
      x509_extensions = ext
      prompt = no
      [dn]
      CN = mirror test authority
      [ext]
      basicConstraints = critical,CA:TRUE
      keyUsage = critical,keyCertSign,cRLSign
      subjectKeyIdentifier = hash

      """)
    try openssl([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", "ca.key", "-out", "ca.pem", "-days", "3650", "-config", "ca.conf",
    ])
  }

  /// One set for the whole test process.
  package static let shared = Result { try Certificates(in: Scratch.base + "/certificates") }

  /// Signed by the authority, for the names given (`DNS:localhost,IP:127.0.0.1`).
  package func issue(
    _ name: String, for names: String = "DNS:localhost,IP:127.0.0.1,IP:::1", expired: Bool = false
  ) throws -> Pair {
    try writeFile(
      "\(directory)/\(name).ext", "subjectAltName=\(names)\nbasicConstraints=CA:FALSE\n")
    try openssl([
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=mirror test \(name)",
    ])
    if expired {
      try issueExpired(name)
    } else {
      try openssl([
        "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-CAcreateserial", "-days", "365", "-extfile", "\(name).ext", "-out", "\(name).pem",
      ])
    }
    return pair(name)
  }

  /// Signed by nobody but itself.
  package func selfSigned(_ name: String) throws -> Pair {
    try openssl([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", "\(name).key", "-out", "\(name).pem", "-days", "365", "-subj", "/CN=localhost",
      "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
    ])
    return pair(name)
  }

  private func pair(_ name: String) -> Pair {
    Pair(certificate: "\(directory)/\(name).pem", key: "\(directory)/\(name).key")
  }

  /// `openssl x509` of Debian 12 takes no dates in the past; its `ca` command does.
  private func issueExpired(_ name: String) throws {
    try writeFile("\(directory)/\(name).index", "")
    try writeFile("\(directory)/\(name).serial", "1001\n")
    try writeFile(
      "\(directory)/\(name).conf",
      """
      [ca]
      default_ca = test
      [test]
      database = \(name).index
      serial = \(name).serial
      new_certs_dir = .
      certificate = ca.pem
      private_key = ca.key
      default_md = sha256
      policy = any
      [any]
      commonName = supplied

      """)
    try openssl([
      "ca", "-batch", "-config", "\(name).conf", "-in", "\(name).csr", "-out", "\(name).pem",
      "-extfile", "\(name).ext", "-startdate", "20200101000000Z", "-enddate", "20200201000000Z",
      "-notext",
    ])
  }

  private func openssl(_ arguments: [String]) throws {
    try runSuccessfully(["openssl"] + arguments, directory: directory)
  }
}

/// A TLS endpoint that shows a certificate and says nothing else: for refusals during the handshake.
package final class TLSEndpoint: Sendable {
  package let port: UInt16
  private let process: Supervised

  /// - Parameter options: of `openssl s_server`, such as `-tls1_1`.
  package init(_ pair: Certificates.Pair, options: [String] = []) throws {
    port = try freePort()
    process = try Supervised(
      [
        "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", pair.certificate, "-key",
        pair.key, "-quiet",
      ] + options)
    try waitForPort(port)
  }

  package func stop() { process.stop() }
}
