import Foundation

/// A private submission server on loopback that takes mail from logged-in users and hands it to a Dovecot of its
/// own by LMTP: what arrives for `bob@…` lies in bob's INBOX there.
package protocol MailTransferServer: AnyObject, Sendable {
  /// Plain, with STARTTLS and log-in offered.
  var port: UInt16 { get }
  /// TLS from the first byte.
  var tlsPort: UInt16 { get }
  var dovecot: DovecotServer { get }
  var log: String { get }
  /// Whether it holds nothing that has yet to be delivered.
  var isQueueEmpty: Bool { get }
}

extension MailTransferServer {
  /// What a user's INBOX holds, once it is so many messages or the time is over.
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
    while !isQueueEmpty {
      guard Date() < end else { throw KitError("the mail server holds mail back:\n\(log)") }
      usleep(20_000)
    }
  }
}

/// The Dovecot behind a mail server: LMTP to take what arrives, and the users' passwords.
struct DeliveryDovecot {
  /// Where the package dovecot-lmtpd is unpacked; empty where it is installed.
  private static let prefix = ProcessInfo.processInfo.environment["MIRROR_POSTFIX_ROOT"] ?? ""
  private static let lmtp = prefix + "/usr/lib/dovecot/lmtp"

  let server: DovecotServer
  let lmtpPort: UInt16
  /// Dovecot's own protocol for checking passwords.
  let authPort: UInt16

  static var isInstalled: Bool { DovecotServer.isInstalled && exists(lmtp) }

  init() throws {
    lmtpPort = try freePort()
    authPort = try freePort()
    server = try DovecotServer(
      DovecotServer.Options(more: Self.lines(lmtp: lmtpPort, auth: authPort)))
  }

  private static func lines(lmtp port: UInt16, auth: UInt16) -> String {
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
