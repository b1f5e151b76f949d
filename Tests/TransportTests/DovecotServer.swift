import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// A private Dovecot with its own ports, certificate and mail; any user, password `sesame`.
final class DovecotServer {
  static let canRun =
    FileManager.default.isExecutableFile(atPath: "/usr/sbin/dovecot")
    && FileManager.default.fileExists(atPath: "/usr/lib/dovecot/imap") && geteuid() == 0

  let plainPort: UInt16
  let tlsPort: UInt16
  private let directory: String
  private let process = Process()

  init() throws {
    directory = NSTemporaryDirectory() + "mirror-dovecot-\(UUID().uuidString.prefix(8))"
    (plainPort, tlsPort) = (LoopbackServer.freePort(), LoopbackServer.freePort())
    for part in ["", "/run", "/home"] {
      try FileManager.default.createDirectory(
        atPath: directory + part, withIntermediateDirectories: true)
    }
    chmod(directory, 0o755)
    chown(directory + "/home", getpwnam("nobody").pointee.pw_uid, gid_t.max)
    try configuration.write(
      toFile: directory + "/dovecot.conf", atomically: true, encoding: .utf8)
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/dovecot")
    process.arguments = ["-F", "-c", directory + "/dovecot.conf"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.runUnmasked()
    for _ in 0..<3000 {
      if (try? connect(plainPort)) != nil { return }
      pause(seconds: 0.02)
    }
    Issue.record(
      "Dovecot does not start: \((try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? "")"
    )
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: directory)
  }

  private var configuration: String {
    let certificate = TestCertificates.shared.file("good")
    return """
      base_dir = \(directory)/run
      log_path = \(directory)/log
      protocols = imap
      ssl = yes
      ssl_cert = <\(certificate)
      ssl_key = <\(certificate)
      disable_plaintext_auth = no
      auth_failure_delay = 0
      auth_mechanisms = plain login cram-md5 scram-sha-1 scram-sha-256
      mail_location = sdbox:~/mail
      mail_uid = nobody
      mail_gid = nogroup
      first_valid_uid = 1
      first_valid_gid = 1
      mail_plugins = zlib
      protocol imap {
        mail_plugins = zlib imap_zlib
      }
      passdb {
        driver = static
        args = password={PLAIN}sesame
      }
      userdb {
        driver = static
        args = home=\(directory)/home/%u
      }
      service imap-login {
        service_count = 0
        process_limit = 1
        inet_listener imap {
          address = 127.0.0.1
          port = \(plainPort)
        }
        inet_listener imaps {
          address = 127.0.0.1
          port = \(tlsPort)
          ssl = yes
        }
      }

      """
  }
}
