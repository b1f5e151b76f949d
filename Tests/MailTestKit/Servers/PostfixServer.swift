import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Postfix as a ``MailTransferServer``: PIPELINING, DSN, CHUNKING, SMTPUTF8, and all log-ins of Dovecot's.
package final class PostfixServer: MailTransferServer {
  package let directory: String
  package let port: UInt16
  package let tlsPort: UInt16
  package let dovecot: DovecotServer
  private let process: Supervised

  /// Where the package postfix is unpacked; empty where it is installed.
  private static let prefix = ProcessInfo.processInfo.environment["MIRROR_POSTFIX_ROOT"] ?? ""
  private static let daemons = prefix + "/usr/lib/postfix/sbin"

  package static var isInstalled: Bool {
    DeliveryDovecot.isInstalled && exists(daemons + "/master")
  }

  /// - Parameters:
  ///   - settings: more lines for the end of main.cf.
  ///   - port: tried first.
  package init(settings: String = "", port wanted: UInt16? = nil) throws {
    var wanted = wanted
    let started = try atFreePorts {
      defer { wanted = nil }
      return try Started(settings, port: wanted ?? freePort())
    }
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

    init(_ settings: String, port: UInt16) throws {
      self.port = port
      let name = "postfix-\(UInt64.random(in: 0...UInt64.max))"
      directory = "\(Scratch.base)/\(name)"
      tlsPort = try freePort()
      let delivery = try DeliveryDovecot()
      dovecot = delivery.server
      let owner = try PostfixServer.owner()
      try PostfixServer.makeQueue(directory, owner)
      try writeFile(
        directory + "/main.cf",
        PostfixServer.main(
          directory, owner, lmtp: delivery.lmtpPort, auth: delivery.authPort,
          pair: try pair.get()) + "smtpd_banner = $myhostname ESMTP \(name)\n" + settings)
      try writeFile(directory + "/master.cf", PostfixServer.master(port, tlsPort))
      process = try Supervised(
        [
          "env", "LD_LIBRARY_PATH=\(prefix)/usr/lib/postfix", daemons + "/master", "-d", "-c",
          directory,
        ], removing: directory, log: directory + "/master.out")
      let directory = directory
      try waitForServer(
        log: { PostfixServer.log(directory) }, hasEnded: { Self.hasEnded(directory) },
        isUp: { greeting(at: port, holds: name) })
    }

    /// What cannot have its ports ends without a word. One that has ended and was not waited for has a number still,
    /// and no program.
    private static func hasEnded(_ directory: String) -> Bool {
      let text = String(
        decoding: (try? readFile(directory + "/queue/pid/master.pid")) ?? [], as: UTF8.self)
      guard let id = Int32(text.filter(\.isNumber)) else { return false }
      var room: CChar = 0
      return readlink("/proc/\(id)/exe", &room, 1) < 0
    }
  }

  deinit { stop() }

  package func stop() { process.stop() }

  package var log: String { Self.log(directory) }

  private static func log(_ directory: String) -> String {
    String(decoding: (try? readFile(directory + "/postfix.log")) ?? [], as: UTF8.self)
      + String(decoding: (try? readFile(directory + "/master.out")) ?? [], as: UTF8.self)
  }

  package var isQueueEmpty: Bool {
    ["maildrop", "incoming", "active", "deferred"].allSatisfy { part in
      let paths = FileManager.default.enumerator(atPath: "\(directory)/queue/\(part)")
      return paths?.allSatisfy { ($0 as? String).map { $0.count < 4 } ?? true } ?? true
    }
  }

  // MARK: Configuration

  private static let pair = Result { try Certificates.shared.get().issue("postfix") }

  /// Postfix wants a user of its own; where the package is not installed, one that nobody else uses.
  private static func owner() throws -> (user: String, group: String) {
    for (user, group) in [("postfix", "postdrop"), ("games", "irc")]
    where getpwnam(user) != nil && getgrnam(group) != nil {
      return (user, group)
    }
    throw KitError("no user for Postfix")
  }

  private static func makeQueue(_ directory: String, _ owner: (user: String, group: String)) throws
  {
    guard let user = getpwnam(owner.user)?.pointee, let group = getgrnam(owner.group)?.pointee
    else {
      throw KitError("no user for Postfix")
    }
    try makeDirectory(directory)
    try makeDirectory(directory + "/queue")
    try makeDirectory(directory + "/queue/pid")
    try makeDirectory(directory + "/data")
    chown(directory + "/data", user.pw_uid, user.pw_gid)
    chmod(directory + "/data", 0o700)
    for part in [
      "active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "maildrop",
      "private", "public", "saved", "trace",
    ] {
      let path = directory + "/queue/" + part
      try makeDirectory(path)
      let isShared = part == "maildrop" || part == "public"
      chown(path, user.pw_uid, isShared ? group.gr_gid : user.pw_gid)
      chmod(path, part == "maildrop" ? 0o730 : part == "public" ? 0o710 : 0o700)
    }
  }

  private static func main(
    _ directory: String, _ owner: (user: String, group: String), lmtp: UInt16, auth: UInt16,
    pair: Certificates.Pair
  ) -> String {
    """
    compatibility_level = 3.6
    queue_directory = \(directory)/queue
    data_directory = \(directory)/data
    daemon_directory = \(daemons)
    command_directory = \(prefix)/usr/sbin
    shlib_directory = \(prefix)/usr/lib/postfix
    meta_directory = \(directory)
    maillog_file = \(directory)/postfix.log
    maillog_file_prefixes = \(directory)
    import_environment = MAIL_CONFIG LD_LIBRARY_PATH TZ
    mail_owner = \(owner.user)
    setgid_group = \(owner.group)
    inet_interfaces = 127.0.0.1
    inet_protocols = ipv4
    myhostname = mx.example.org
    mydestination =
    mynetworks =
    relay_domains =
    alias_maps =
    alias_database =
    local_recipient_maps =
    default_transport = lmtp:[127.0.0.1]:\(lmtp)
    relay_transport = $default_transport
    local_transport = $default_transport
    # Dovecot fails where two deliveries make one new user's INBOX at once, and perhaps delivers twice.
    lmtp_destination_concurrency_limit = 1
    queue_run_delay = 2s
    minimal_backoff_time = 2s
    maximal_backoff_time = 4s
    smtpd_sasl_auth_enable = yes
    smtpd_sasl_type = dovecot
    smtpd_sasl_path = inet:127.0.0.1:\(auth)
    smtpd_sasl_security_options = noanonymous
    smtpd_relay_restrictions = permit_sasl_authenticated, reject
    smtpd_recipient_restrictions =
    smtpd_tls_security_level = may
    smtpd_tls_cert_file = \(pair.certificate)
    smtpd_tls_key_file = \(pair.key)
    smtpd_tls_loglevel = 0
    smtpd_client_connection_rate_limit = 0
    smtpd_client_connection_count_limit = 0
    message_size_limit = 209715200
    mailbox_size_limit = 0
    append_dot_mydomain = no
    default_process_limit = 20

    """
  }

  private static func master(_ port: UInt16, _ tlsPort: UInt16) -> String {
    """
    127.0.0.1:\(port) inet n - n - - smtpd
    127.0.0.1:\(tlsPort) inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
    cleanup unix n - n - 0 cleanup
    qmgr unix n - n 300 1 qmgr
    tlsmgr unix - - n 1000? 1 tlsmgr
    rewrite unix - - n - - trivial-rewrite
    bounce unix - - n - 0 bounce
    defer unix - - n - 0 bounce
    trace unix - - n - 0 bounce
    verify unix - - n - 1 verify
    flush unix n - n 1000? 0 flush
    proxymap unix - - n - - proxymap
    proxywrite unix - - n - 1 proxymap
    error unix - - n - - error
    retry unix - - n - - error
    lmtp unix - - n - - lmtp
    anvil unix - - n - 1 anvil
    scache unix - - n - 1 scache
    postlog unix-dgram n - n - 1 postlogd

    """
  }
}
