import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Servers and proxies that Debian does not let stand beside Dovecot: unpacked into one directory (`contrib/test --long
/// servers` and `contrib/test` put them there), each started privately on loopback, with one account and Dovecot's
/// password.
package final class UnpackedServer: Sendable {
  package let port: UInt16
  package let user: String
  package let directory: String
  private let process: Supervised
  /// What stands behind a proxy.
  private let behind: (any Sendable)?

  package static let root =
    ProcessInfo.processInfo.environment["MIRROR_SERVERS_ROOT"] ?? "/var/cache/mirror-test/servers"

  /// How one is started.
  struct Plan {
    var user: String
    /// Files that it reads, by their names in its directory.
    var files: [String: String] = [:]
    var directories: [String] = []
    var command: [String]
    /// What its greeting holds.
    var greeting: String
  }

  /// - Parameter plan: is told the server's directory and its port.
  init(
    _ name: String, behind: (any Sendable)? = nil, _ plan: (String, UInt16) throws -> Plan
  ) throws {
    let started = try atFreePorts { try Started(name, plan) }
    (port, user, directory) = (started.port, started.user, started.directory)
    process = started.process
    self.behind = behind
  }

  deinit { process.stop() }

  private struct Started {
    let port: UInt16
    let user: String
    let directory: String
    let process: Supervised

    init(_ name: String, _ make: (String, UInt16) throws -> Plan) throws {
      directory = "\(Scratch.base)/\(name)-\(UInt64.random(in: 0...UInt64.max))"
      port = try freePort()
      try makeDirectory(directory)
      let plan = try make(directory, port)
      user = plan.user
      for part in plan.directories {
        try makeDirectory("\(directory)/\(part)")
        chown("\(directory)/\(part)", UnpackedServer.owner, UnpackedServer.group)
      }
      for (file, text) in plan.files { try writeFile("\(directory)/\(file)", text, mode: 0o755) }
      process = try Supervised(plan.command, removing: directory, log: directory + "/log")
      let (directory, port) = (directory, port)
      try waitForServer(
        log: { String(decoding: (try? readFile(directory + "/log")) ?? [], as: UTF8.self) },
        isUp: { MailTestKit.greeting(at: port, holds: plan.greeting) })
    }
  }

  /// Owns their mail: libfam wants a user with a name.
  static let owner = getpwnam("nobody")?.pointee.pw_uid ?? 65534
  static let group = getpwnam("nobody")?.pointee.pw_gid ?? 65534

  /// In namespaces of their own, so that whatever they start ends with them.
  static func alone(_ script: String) -> [String] {
    ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", script]
  }

  /// Where the unpacked programs find their libraries.
  static let libraries = [
    "/usr/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/courier-authlib", "/usr/lib/mailutils",
  ].map { root + $0 }.joined(separator: ":")

  package func client() throws -> IMAPTestClient {
    try IMAPTestClient(port: port, user: user, password: DovecotServer.password)
  }
}

// MARK: - Courier

extension UnpackedServer {
  package static var hasCourier: Bool {
    getuid() == 0 && exists(root + "/usr/lib/courier/courier/imaplogin")
  }

  /// Courier 5: keywords, UIDPLUS, ACL, `INBOX.` before every name; neither CONDSTORE nor MOVE.
  package static func courier() throws -> UnpackedServer {
    try UnpackedServer("courier") { directory, port in
      Plan(
        user: "courier",
        files: [
          "authdaemon": authentication,
          "start": """
          set -e
          export LD_LIBRARY_PATH=\(libraries)
          mount -t tmpfs none /run
          mkdir -p /run/courier/authdaemon
          python3 \(directory)/authdaemon /run/courier/authdaemon/socket \(directory)/home \
          \(owner) \(group) &
          set -a
          . \(root)/etc/courier/imapd
          IMAP_TLS=0 IMAP_STARTTLS=NO IMAP_USELOCKS=0 AUTHMODULES=authdaemon DEBUG_LOGIN=0 TLS_EXTERNAL=
          while [ ! -S /run/courier/authdaemon/socket ]; do sleep 0.05; done
          exec \(root)/usr/sbin/couriertcpd -address=127.0.0.1 -maxprocs=100 -maxperip=100 \
          -nodnslookup -noidentlookup \(port) \(root)/usr/lib/courier/courier/imaplogin \
          \(root)/usr/bin/imapd Maildir
          """,
        ], directories: ["home"], command: alone(directory + "/start"), greeting: "Courier-IMAP")
    }
  }

  /// Courier asks another daemon who logs in: this one takes any user with the password.
  private static let authentication = """
    import os, socket, sys, threading

    path, homes, owner, group = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

    def question(data):
        start, found, rest = (b"\\n" + data).partition(b"\\nAUTH ")
        size, end, body = rest.partition(b"\\n")
        return body.split(b"\\n") if end and len(body) >= int(size) else None

    def serve(line):
        data = b""
        while question(data) is None:
            more = line.recv(65536)
            if not more:
                return
            data += more
        words = question(data)
        if len(words) >= 4 and words[1] == b"login" and words[3] == b"\(DovecotServer.password)":
            home = os.path.join(homes, words[2].decode())
            for part in ("", "/Maildir", "/Maildir/cur", "/Maildir/new", "/Maildir/tmp"):
                os.makedirs(home + part, exist_ok=True)
                os.chown(home + part, owner, group)
            answer = f"UID={owner}\\nGID={group}\\nHOME={home}\\nADDRESS=courier\\nMAILDIR={home}/Maildir\\n.\\n"
            line.sendall(answer.encode())
        else:
            line.sendall(b"FAIL\\n")
        line.close()

    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    os.chmod(path, 0o777)
    server.listen(64)
    while True:
        line, _ = server.accept()
        threading.Thread(target=serve, args=(line,), daemon=True).start()

    """
}

// MARK: - GNU mailutils

extension UnpackedServer {
  package static var hasMailutils: Bool { getuid() == 0 && exists(root + "/usr/sbin/imap4d") }

  /// GNU mailutils over mbox: the poorest there is, and it announces SCRAM without having secrets for it.
  package static func mailutils() throws -> UnpackedServer {
    try UnpackedServer("mailutils") { directory, port in
      let hash = try runSuccessfully(["openssl", "passwd", "-1", DovecotServer.password])
        .outputText.trimmingCharacters(in: .whitespacesAndNewlines)
      let entry = "\(owner):\(group):x:\(directory)/home:/bin/sh\n"
      return Plan(
        user: "u@example",
        files: [
          "users/example": "u:\(hash):\(entry)u@example:\(hash):\(entry)",
          // It makes no INBOX by itself.
          "home/INBOX": "",
          "conf": """
          mode daemon; foreground yes; pidfile \(directory)/pid; max-children 100;
          auth { authentication "virtdomain:generic"; authorization "virtdomain"; };
          virtdomain { passwd-dir \(directory)/users; };
          mailbox { mail-spool "mbox:\(directory)/home"; mailbox-type mbox; };
          namespace personal {
            prefix "" { directory "\(directory)/home/mail"; mailbox-type mbox; delimiter "/"; };
          };
          tcp-wrappers { enable no; };
          logging { syslog no; };
          server 127.0.0.1:\(port) { };

          """,
          "start": """
          export LD_LIBRARY_PATH=\(libraries)
          chown \(owner):\(group) \(directory)/home/INBOX
          exec \(root)/usr/sbin/imap4d --no-config --config-file=\(directory)/conf
          """,
        ], directories: ["users", "home", "home/mail"],
        command: alone(directory + "/start"), greeting: "IMAP4rev1")
    }
  }
}

// MARK: - pymap

extension UnpackedServer {
  package static var hasPymap: Bool { exists(root + "/pymap/bin/pymap") }

  /// pymap: OBJECTID, MOVE, UIDPLUS; neither keywords nor CONDSTORE. Over Maildir it sends `EMAILID ((M1))`.
  package static func pymap() throws -> UnpackedServer {
    try UnpackedServer("pymap") { directory, port in
      Plan(
        user: "u",
        files: [
          "mail/pymap-etc-passwd": "u:x:1000:1000::u:\r\n",
          "start": """
          set -e
          export PYTHONPATH=\(root)/pymap TMPDIR=\(directory)
          python3 - <<END
          from pysasl.hashing import BuiltinHash
          hash = str(BuiltinHash(rounds=1000).hash("\(DovecotServer.password)"))
          open("\(directory)/mail/pymap-etc-shadow", "w").write("u:%s:::::::\\r\\n" % hash)
          END
          exec python3 \(root)/pymap/bin/pymap --no-tls --host 127.0.0.1 --port \(port) \
          --no-service admin --no-service managesieve maildir \(directory)/mail
          """,
        ], directories: ["mail"], command: ["sh", directory + "/start"], greeting: "OK")
    }
  }
}

// MARK: - Proxies

extension UnpackedServer {
  package static var hasPerdition: Bool { exists(root + "/usr/sbin/perdition.imap4") }
  package static var hasImapproxy: Bool { exists(root + "/usr/sbin/imapproxyd") }

  /// perdition: other capabilities before the log-in than after it.
  package static func perdition(before server: DovecotServer) throws -> UnpackedServer {
    try UnpackedServer("perdition", behind: server) { directory, port in
      Plan(
        user: DovecotServer.newUser("p"),
        files: [
          "start": """
          export LD_LIBRARY_PATH=\(libraries)
          exec \(root)/usr/sbin/perdition.imap4 -f /dev/null --no_daemon --protocol IMAP4 \
          --bind_address 127.0.0.1 --listen_port \(port) --outgoing_server 127.0.0.1 \
          --outgoing_port \(server.port) --map_library "" --ssl_mode none --log_facility - \
          -u nobody -g nogroup --pid_file ""
          """
        ], command: alone(directory + "/start"), greeting: "perdition")
    }
  }

  /// imapproxy: keeps connections, with the mailbox that was open in them, for the next log-in.
  package static func imapproxy(before server: DovecotServer) throws -> UnpackedServer {
    try UnpackedServer("imapproxy", behind: server) { directory, port in
      Plan(
        user: DovecotServer.newUser("x"),
        files: [
          "conf": """
          server_hostname 127.0.0.1
          server_port \(server.port)
          listen_port \(port)
          listen_address 127.0.0.1
          cache_size 3072
          cache_expiration_time 300
          proc_username nobody
          proc_groupname nogroup
          stat_filename \(directory)/stats
          protocol_log_filename \(directory)/protocol
          syslog_facility LOG_MAIL
          send_tcp_keepalive no
          enable_select_cache no
          foreground_mode yes
          force_tls no
          enable_admin_commands no

          """
        ], command: [root + "/usr/sbin/imapproxyd", "-f", directory + "/conf"],
        greeting: "XIMAPPROXY")
    }
  }
}
