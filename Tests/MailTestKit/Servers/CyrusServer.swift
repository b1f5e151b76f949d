import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A private Cyrus 3.6 on loopback: any user, any password, no TLS; QRESYNC, OBJECTID, COMPRESS.
///
/// Debian's cyrus-imapd excludes dovecot-imapd, so its imapd is unpacked beside it: `MIRROR_CYRUS_ROOT`, or the
/// directory below, holds `usr/lib/cyrus/bin/imapd` (`contrib/test` puts it there).
package final class CyrusServer: Sendable {
  package static let password = "pw"
  package let directory: String
  package let port: UInt16
  private let process: Supervised

  static let root =
    ProcessInfo.processInfo.environment["MIRROR_CYRUS_ROOT"] ?? "/var/cache/mirror-test/cyrus"
  private static let programs = "/usr/lib/cyrus/bin"

  package static var isInstalled: Bool {
    getuid() == 0 && exists(root + programs + "/imapd") && exists(programs + "/master")
  }

  /// - Parameters:
  ///   - isBelowINBOX: whether a person's mailboxes have names like `INBOX/Work`.
  ///   - hasIdled: whether IDLE hears of changes at once; else once in `idlePoll` seconds.
  package init(isBelowINBOX: Bool = false, hasIdled: Bool = false, idlePoll: Int = 60) throws {
    directory = "\(Scratch.base)/cyrus-\(UInt64.random(in: 0...UInt64.max))"
    for part in ["/config/socket", "/spool", "/proc", "/sieve"] {
      try makeDirectory(directory + part)
    }
    port = try freePort()
    try writeFile(
      directory + "/imapd.conf", Self.settings(directory, isBelowINBOX, idlePoll: idlePoll),
      mode: 0o644)
    try writeFile(
      directory + "/cyrus.conf", Self.services(directory, port: port, hasIdled: hasIdled),
      mode: 0o644)
    try runSuccessfully(["chown", "-R", "cyrus:mail", directory])
    process = try Supervised(
      [
        Self.programs + "/master", "-C", directory + "/imapd.conf", "-M",
        directory + "/cyrus.conf", "-p", directory + "/master.pid", "-D",
      ], removing: directory, log: directory + "/master.log",
      orphans: hasIdled ? "/idled -C \(directory)/" : "")
    let (directory, port) = (directory, port)
    try waitForServer(
      log: { Self.log(directory) }, isUp: { greeting(at: port, holds: "Cyrus IMAP") })
  }

  private static func log(_ directory: String) -> String {
    String(decoding: (try? readFile(directory + "/master.log")) ?? [], as: UTF8.self)
  }

  deinit { stop() }

  package func stop() { process.stop() }

  package func client(_ user: String) throws -> IMAPTestClient {
    try IMAPTestClient(port: port, user: user, password: Self.password)
  }

  private static let usual = Result { try atFreePorts { try CyrusServer() } }
  private static let prefixed = Result { try atFreePorts { try CyrusServer(isBelowINBOX: true) } }

  private static let hearing = Result { try atFreePorts { try CyrusServer(hasIdled: true) } }
  private static let deaf = Result { try atFreePorts { try CyrusServer(idlePoll: 86400) } }

  /// The one of its kind in this test process. Take a user name of your own.
  package static func shared(isBelowINBOX: Bool = false) throws -> CyrusServer {
    try (isBelowINBOX ? prefixed : usual).get()
  }

  package static func sharedWithIdled() throws -> CyrusServer { try hearing.get() }

  /// One that has IDLE and tells of nothing for a day.
  package static func sharedDeaf() throws -> CyrusServer { try deaf.get() }

  private static func settings(
    _ directory: String, _ isBelowINBOX: Bool, idlePoll: Int
  ) -> String {
    """
    configdirectory: \(directory)/config
    partition-default: \(directory)/spool
    defaultpartition: default
    sievedir: \(directory)/sieve
    proc_path: \(directory)/proc
    mboxname_lockpath: \(directory)/config/lock
    imapidlepoll: \(idlePoll)
    idlesocket: \(directory)/config/socket/idle
    admins: admin
    allowplaintext: yes
    sasl_pwcheck_method: alwaystrue
    sasl_mech_list: PLAIN LOGIN
    unixhierarchysep: yes
    altnamespace: \(isBelowINBOX ? "no" : "yes")
    virtdomains: off
    conversations: yes
    autocreate_quota: 0
    autocreate_post: yes
    autocreate_inbox_folders: Sent | Drafts | Trash | Archive
    xlist-sent: Sent
    xlist-drafts: Drafts
    xlist-trash: Trash
    xlist-archive: Archive

    """
  }

  private static func services(_ directory: String, port: UInt16, hasIdled: Bool) -> String {
    """
    START {
      recover cmd="\(programs)/ctl_cyrusdb -C \(directory)/imapd.conf -r"
      \(hasIdled ? "idled cmd=\"\(root)\(programs)/idled -C \(directory)/imapd.conf\"" : "")
    }
    SERVICES {
      imap cmd="\(root)\(programs)/imapd -C \(directory)/imapd.conf -U 30" \
    listen="127.0.0.1:\(port)" prefork=1 maxchild=50
    }
    EVENTS {
      checkpoint cmd="\(programs)/ctl_cyrusdb -C \(directory)/imapd.conf -c" period=30
    }

    """
  }
}
