import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A private Postfix on loopback that takes mail from logged-in users and hands it to a Dovecot of its own
/// by LMTP: what arrives for `bob@…` lies in bob's INBOX there.
package final class PostfixServer: Sendable {
  package let directory: String
  /// Plain, with STARTTLS and log-in offered.
  package let port: UInt16
  /// TLS from the first byte.
  package let tlsPort: UInt16
  package let dovecot: DovecotServer
  private let process: Supervised

  /// Where the packages postfix and dovecot-lmtpd are unpacked; empty where they are installed.
  private static let prefix = ProcessInfo.processInfo.environment["MIRROR_POSTFIX_ROOT"] ?? ""
  private static let daemons = prefix + "/usr/lib/postfix/sbin"
  private static let lmtp = prefix + "/usr/lib/dovecot/lmtp"

  package static var isInstalled: Bool {
    DovecotServer.isInstalled && exists(daemons + "/master") && exists(lmtp)
  }

  /// - Parameter settings: more lines for the end of main.cf.
  package init(settings: String = "") throws {
    directory = "\(Scratch.base)/postfix-\(UInt64.random(in: 0...UInt64.max))"
    port = try freePort()
    tlsPort = try freePort()
    let (lmtpPort, authPort) = (try freePort(), try freePort())
    dovecot = try DovecotServer(
      DovecotServer.Options(more: Self.dovecotLines(lmtp: lmtpPort, auth: authPort)))
    let owner = try Self.owner()
    try Self.makeQueue(directory, owner)
    try writeFile(
      directory + "/main.cf",
      Self.main(
        directory, owner, lmtp: lmtpPort, auth: authPort, pair: try Self.pair.get()) + settings)
    try writeFile(directory + "/master.cf", Self.master(port, tlsPort))
    process = try Supervised(
      [
        "env", "LD_LIBRARY_PATH=\(Self.prefix)/usr/lib/postfix", Self.daemons + "/master", "-d",
        "-c", directory,
      ], removing: directory, log: directory + "/master.out")
    try waitForPort(port)
  }

  deinit { stop() }

  package func stop() { process.stop() }

  package var log: String {
    String(decoding: (try? readFile(directory + "/postfix.log")) ?? [], as: UTF8.self)
      + String(decoding: (try? readFile(directory + "/master.out")) ?? [], as: UTF8.self)
  }

  /// What a user's INBOX holds, once it is so many messages and no more came for a while.
  package func arrived(for user: String, atLeast count: Int, limit: Double = 60) throws
    -> [ServerMessage]
  {
    let client = try dovecot.client(user)
    defer { client.logout() }
    let end = Date().addingTimeInterval(limit)
    var found = try client.messages(in: "INBOX")
    while found.count < count, Date() < end {
      usleep(50_000)
      found = try client.messages(in: "INBOX")
    }
    return found
  }

  /// Waits until its queue is empty: what was accepted has arrived.
  package func drain(limit: Double = 60) throws {
    let end = Date().addingTimeInterval(limit)
    func isEmpty() -> Bool {
      ["maildrop", "incoming", "active", "deferred"].allSatisfy { part in
        let paths = FileManager.default.enumerator(atPath: "\(directory)/queue/\(part)")
        return paths?.allSatisfy { ($0 as? String).map { $0.count < 4 } ?? true } ?? true
      }
    }
    while !isEmpty() {
      guard Date() < end else { throw KitError("Postfix holds mail back:\n\(log)") }
      usleep(20_000)
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

  private static func dovecotLines(lmtp port: UInt16, auth: UInt16) -> String {
    """
    protocols = imap lmtp
    auth_username_format = %n
    service lmtp {
      executable = \(lmtp)
      inet_listener lmtp {
        address = 127.0.0.1
        port = \(port)
      }
    }
    service auth {
      inet_listener {
        address = 127.0.0.1
        port = \(auth)
      }
    }
    lmtp_save_to_detail_mailbox = no
    """
  }
}
