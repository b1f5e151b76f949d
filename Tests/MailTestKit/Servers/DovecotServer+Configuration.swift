import Foundation

extension DovecotServer {
  /// What Dovecot 2.3 offers after log-in, in its order.
  static let capabilities = """
    IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT SORT=DISPLAY THREAD=REFERENCES THREAD=REFS \
    THREAD=ORDEREDSUBJECT MULTIAPPEND URL-PARTIAL CATENATE UNSELECT CHILDREN NAMESPACE UIDPLUS \
    LIST-EXTENDED I18NLEVEL=1 CONDSTORE QRESYNC ESEARCH ESORT SEARCHRES WITHIN CONTEXT=SEARCH \
    LIST-STATUS BINARY MOVE SNIPPET=FUZZY PREVIEW=FUZZY PREVIEW STATUS=SIZE SAVEDATE LITERAL+ NOTIFY \
    SPECIAL-USE
    """

  static func configuration(
    _ options: Options, directory: String, port: UInt16, tlsPort: UInt16, pair: Certificates.Pair
  ) -> String {
    let location = options.mailLocation ?? "\(options.store.rawValue):~/mail"
    let plugins = options.compress ? "mail_plugins = imap_zlib" : ""
    var capability = ""
    if !options.without.isEmpty {
      let kept = capabilities.split(separator: " ").filter { !options.without.contains(String($0)) }
      capability = "imap_capability = " + kept.joined(separator: " ")
    }
    let boxes = ["Drafts", "Sent", "Trash", "Junk", "Archive"].map {
      "  mailbox \($0) {\n    special_use = \\\($0)\n    auto = create\n  }\n"
    }.joined()
    return """
      base_dir = \(directory)/run
      state_dir = \(directory)/state
      log_path = \(directory)/dovecot.log
      info_log_path = /dev/null
      protocols = imap
      ssl = \(options.tls ? "yes" : "no")
      ssl_cert = <\(pair.certificate)
      ssl_key = <\(pair.key)
      ssl_min_protocol = TLSv1.2
      disable_plaintext_auth = no
      auth_mechanisms = \(options.mechanisms)
      auth_failure_delay = 0
      default_internal_user = dovecot
      default_login_user = dovenull
      mail_location = \(location)
      mail_uid = \(mailOwner)
      mail_gid = \(mailOwner)
      first_valid_uid = 1
      first_valid_gid = 1
      mail_fsync = never
      mail_max_userip_connections = 200
      mail_max_keyword_length = 200
      \(plugins)
      protocol imap {
        \(capability)
      }
      passdb {
        driver = static
        args = password=\(password)
      }
      userdb {
        driver = static
        args = uid=\(mailOwner) gid=\(mailOwner) home=\(directory)/home/%u
      }
      namespace inbox {
        inbox = yes
        separator = \(options.separator)
      \(boxes)}
      service imap-login {
        inet_listener imap {
          address = 127.0.0.1
          port = \(port)
        }
        inet_listener imaps {
          address = 127.0.0.1
          port = \(options.tls ? Int(tlsPort) : 0)
          ssl = yes
        }
        service_count = 0
        process_min_avail = 1
        client_limit = 1000
      }
      service imap {
        process_limit = 200
        process_min_avail = 1
      }
      service stats {
        client_limit = 2000
      }
      service anvil {
        client_limit = 2000
        # Or else each wrong password makes the next log-in wait, for up to 15 s.
        unix_listener anvil-auth-penalty {
          mode = 0
        }
      }
      service auth {
        client_limit = 2000
      }
      service config {
        client_limit = 2000
      }
      \(options.more)

      """
  }
}

/// Values made once each, on first use, by whoever asks first.
final class Pool<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {  // behind `lock`
  private let lock = NSLock()
  private var values: [Key: Result<Value, any Error>] = [:]

  func value(for key: Key, make: () throws -> Value) throws -> Value {
    lock.lock()
    defer { lock.unlock() }
    if let known = values[key] { return try known.get() }
    let made = Result { try make() }
    values[key] = made
    return try made.get()
  }
}
