#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A private Dovecot on loopback: any user, password `pw`; every user begins with an empty account.
package final class DovecotServer: Sendable {
  package enum Store: String, Sendable, CaseIterable { case sdbox, maildir, mdbox }

  package struct Options: Sendable, Hashable, CustomStringConvertible {
    package var store = Store.sdbox
    /// COMPRESS=DEFLATE offered. Off by default, because a log of the wire is then readable.
    package var compress = false
    /// Capabilities left out of every announcement; the commands would still work.
    package var without: Set<String> = []
    package var mechanisms = "plain login cram-md5 scram-sha-1 scram-sha-256"
    /// STARTTLS and imaps offered.
    package var tls = true
    /// Overrides `mail_location` (then `store` does not count).
    package var mailLocation: String?
    package var separator: Character = "/"
    /// More lines for the end of dovecot.conf.
    package var more = ""

    package var description: String {
      (["dovecot", mailLocation ?? store.rawValue] + without.sorted().map { "-" + $0 })
        .joined(separator: " ")
    }

    /// SCRAM takes thousands of hashes on either side, and each log-in a process of its own, which adds up over
    /// thousands of runs.
    package var withoutCostlyLogIns: Options {
      var options = self
      options.mechanisms = "plain login cram-md5"
      options.more += "\nservice imap {\n  service_count = 500\n}\n"
      return options
    }

    package init(
      store: Store = .sdbox, compress: Bool = false, without: Set<String> = [],
      mailLocation: String? = nil, separator: Character = "/", more: String = ""
    ) {
      self.store = store
      self.compress = compress
      self.without = without
      self.mailLocation = mailLocation
      self.separator = separator
      self.more = more
    }
  }

  package static let password = "pw"
  /// Owner of all mail; a number, so that no user has to be made.
  package static let mailOwner: UInt32 = 5000

  package let options: Options
  package let directory: String
  /// Plain, with STARTTLS offered.
  package let port: UInt16
  /// TLS from the first byte.
  package let tlsPort: UInt16
  /// Certificate authority to trust.
  package let authority: String
  private let process: Supervised

  package static var isInstalled: Bool {
    getuid() == 0 && findProgram("dovecot") != nil && exists("/usr/lib/dovecot/imap")
  }

  package init(_ options: Options = Options()) throws {
    self.options = options
    directory = "\(Scratch.base)/dovecot-\(UInt64.random(in: 0...UInt64.max))"
    for part in ["", "/run", "/home", "/state"] { try makeDirectory(directory + part) }
    chown(directory + "/home", Self.mailOwner, Self.mailOwner)
    let certificates = try Certificates.shared.get()
    authority = certificates.authority
    let pair = try Self.serverPair.get()
    port = try freePort()
    tlsPort = try freePort()
    try writeFile(
      directory + "/dovecot.conf",
      DovecotServer.configuration(
        options, directory: directory, port: port, tlsPort: tlsPort, pair: pair))
    process = try Supervised(
      ["dovecot", "-F", "-c", directory + "/dovecot.conf"], removing: directory,
      log: directory + "/dovecot.log")
    let (directory, port) = (directory, port)
    // Written once it has all of its ports.
    try waitForServer(
      log: { Self.log(directory) },
      isUp: { exists(directory + "/run/master.pid") && (try? Socket(connectingTo: port)) != nil })
  }

  deinit { stop() }

  package func stop() { process.stop() }

  package var log: String { Self.log(directory) }

  private static func log(_ directory: String) -> String {
    String(decoding: (try? readFile(directory + "/dovecot.log")) ?? [], as: UTF8.self)
  }

  /// Where a user's mail lies.
  package func home(of user: String) -> String { "\(directory)/home/\(user)" }

  package func client(_ user: String) throws -> IMAPTestClient {
    try IMAPTestClient(port: port, user: user, password: Self.password)
  }

  private static let serverPair = Result { try Certificates.shared.get().issue("server") }

  // Servers are shared: starting one takes a quarter of a second, a new user nothing.
  private static let pool = Pool<Options, DovecotServer>()

  /// The server with these options of this test process. Take a user name of your own.
  package static func shared(_ options: Options = Options()) throws -> DovecotServer {
    try pool.value(for: options) { try atFreePorts { try DovecotServer(options) } }
  }

  /// One whose mail lies on another server, which it shows over a connection of its own (imapc).
  package static func front(of server: CyrusServer) throws -> DovecotServer {
    try shared(
      Options(
        mailLocation: "imapc:~/imapc",
        more: """
          imapc_host = 127.0.0.1
          imapc_port = \(server.port)
          imapc_user = %u
          imapc_password = \(CyrusServer.password)
          imapc_features = rfc822.size fetch-headers

          """))
  }

  /// A name nobody else has, so that tests share a server.
  package static func newUser(_ name: String = "user") -> String {
    "\(name)-\(UInt32.random(in: 0...UInt32.max))"
  }
}
