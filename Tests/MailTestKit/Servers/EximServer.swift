import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Exim 4 as a ``MailTransferServer``: PIPELINING, DSN, CHUNKING, SMTPUTF8, PIPECONNECT, GnuTLS; it hangs up on a
/// client that speaks out of turn. Any user, Dovecot's password; PLAIN, LOGIN and CRAM-MD5.
///
/// Debian's exim4 excludes Postfix, so its daemon is unpacked beside it: `MIRROR_EXIM_ROOT`, or the directory below,
/// holds `usr/sbin/exim4` (`contrib/test` puts it there, and makes the user that it is built to run as).
package final class EximServer: MailTransferServer {
  package let directory: String
  package let port: UInt16
  package let tlsPort: UInt16
  package let dovecot: DovecotServer
  private let process: Supervised

  private static let program =
    (ProcessInfo.processInfo.environment["MIRROR_EXIM_ROOT"] ?? "/var/cache/mirror-test/exim")
    + "/usr/sbin/exim4"
  private static let owner = "Debian-exim"

  package static var isInstalled: Bool {
    DeliveryDovecot.isInstalled && exists(program) && getpwnam(owner) != nil
  }

  /// - Parameter settings: more lines for the main section.
  package init(settings: String = "") throws {
    let started = try atFreePorts { try Started(settings) }
    directory = started.directory
    port = started.port
    tlsPort = started.tlsPort
    dovecot = started.dovecot
    process = started.process
  }

  /// A server that has its ports.
  private struct Started {
    let directory: String
    let port: UInt16
    let tlsPort: UInt16
    let dovecot: DovecotServer
    let process: Supervised

    init(_ settings: String) throws {
      guard let owner = getpwnam(EximServer.owner)?.pointee else {
        throw KitError("no user for Exim")
      }
      let name = "exim-\(UInt64.random(in: 0...UInt64.max))"
      directory = "\(Scratch.base)/\(name)"
      port = try freePort()
      tlsPort = try freePort()
      let delivery = try DeliveryDovecot()
      dovecot = delivery.server
      try makeDirectory(directory)
      for part in ["/spool", "/log"] {
        try makeDirectory(directory + part)
        chown(directory + part, owner.pw_uid, owner.pw_gid)
      }
      let pair = try EximServer.pair.get()
      // It reads them as its own user.
      for (path, name) in [(pair.certificate, "/certificate.pem"), (pair.key, "/key.pem")] {
        try writeFile(directory + name, readFile(path))
        chown(directory + name, owner.pw_uid, owner.pw_gid)
      }
      let configuration =
        EximServer.main(directory, port: port, tlsPort: tlsPort)
        + "smtp_banner = mx.example.org ESMTP \(name)\n" + settings
        + EximServer.rest(delivery.lmtpPort)
      try writeFile(directory + "/exim.conf", configuration, mode: 0o644)
      process = try Supervised(
        [program, "-C", directory + "/exim.conf", "-bdf", "-q1s"], removing: directory,
        log: directory + "/exim.out")
      let (directory, port) = (directory, port)
      try waitForServer(
        log: { EximServer.log(directory) }, isUp: { greeting(at: port, holds: name) })
    }
  }

  deinit { stop() }

  package func stop() { process.stop() }

  package var log: String { Self.log(directory) }

  private static func log(_ directory: String) -> String {
    ["/exim.out", "/log/mainlog", "/log/paniclog"]
      .map { String(decoding: (try? readFile(directory + $0)) ?? [], as: UTF8.self) }.joined()
  }

  package var isQueueEmpty: Bool {
    let names = try? FileManager.default.contentsOfDirectory(atPath: directory + "/spool/input")
    return names?.isEmpty ?? true
  }

  private static let pair = Result { try Certificates.shared.get().issue("exim") }

  private static func main(_ directory: String, port: UInt16, tlsPort: UInt16) -> String {
    """
    spool_directory = \(directory)/spool
    log_file_path = \(directory)/log/%slog
    pid_file_path = \(directory)/spool/exim.pid
    local_interfaces = 127.0.0.1
    daemon_smtp_ports = \(port) : \(tlsPort)
    tls_on_connect_ports = \(tlsPort)
    tls_advertise_hosts = *
    tls_certificate = \(directory)/certificate.pem
    tls_privatekey = \(directory)/key.pem
    auth_advertise_hosts = *
    dsn_advertise_hosts = *
    primary_hostname = mx.example.org
    disable_ipv6 = true
    host_lookup =
    rfc1413_hosts =
    keep_environment =
    message_size_limit = 200M
    smtp_accept_max = 200
    # What comes is put by, and delivered by one process at a time: Dovecot fails where two deliveries make one
    # new user's INBOX at once.
    queue_only = true
    queue_run_max = 1
    deliver_drop_privilege = true
    acl_smtp_rcpt = to_anybody

    """
  }

  private static func rest(_ lmtp: UInt16) -> String {
    """

    begin acl
    to_anybody:
      accept authenticated = *
      deny message = log in first

    begin routers
    everybody:
      driver = manualroute
      route_list = * 127.0.0.1
      self = send
      transport = dovecot

    begin transports
    dovecot:
      driver = smtp
      protocol = lmtp
      port = \(lmtp)
      allow_localhost
      hosts_avoid_tls = *

    begin retry
    * * F,1h,2s

    begin authenticators
    plain:
      driver = plaintext
      public_name = PLAIN
      server_prompts = :
      server_condition = ${if eq{$auth3}{\(DovecotServer.password)}}
      server_set_id = $auth2

    login:
      driver = plaintext
      public_name = LOGIN
      server_prompts = Username:: : Password::
      server_condition = ${if eq{$auth2}{\(DovecotServer.password)}}
      server_set_id = $auth1

    cram:
      driver = cram_md5
      public_name = CRAM-MD5
      server_secret = \(DovecotServer.password)
      server_set_id = $auth1

    """
  }
}
