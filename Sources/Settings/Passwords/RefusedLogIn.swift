import Foundation
import MailCore

/// The log-in that a server refused last, by a fingerprint of what it was tried with: timers and a watch do not try it
/// again before the secret or the settings are others. Without that they would knock all day, and some servers lock an
/// account for less.
///
/// The secret itself is not kept, and the fingerprint is salted and slow to make: whoever reads it can try guesses no
/// faster than against a server's own file. It lies with what belongs to this machine, and in no tree that is carried
/// to another.
package struct RefusedLogIn: Sendable {
  /// Makes a fingerprint of bytes and a salt, slowly; nil where that is not possible.
  package typealias Deriving = @Sendable (_ bytes: [UInt8], _ salt: [UInt8]) -> [UInt8]?

  private struct Record: Codable {
    /// As settings say it: a record of others counts for nothing.
    var server: String
    /// Unix seconds.
    var since: Int64
    var salt: [UInt8]
    var fingerprint: [UInt8]
  }

  private let path: String
  private let server: String
  private let name: String
  private let isOfSending: Bool
  private let derive: Deriving
  /// What was refused is not tried again: nobody is there who could want it.
  let isHeeded: Bool

  /// - Parameters:
  ///   - service: which of the account's servers, `imap` or `smtp`.
  ///   - directory: made when it is needed.
  package init(
    account: String, service: String, server: ServerSettings, directory: String, isHeeded: Bool,
    derive: @escaping Deriving
  ) {
    path = "\(directory)/\(account).\(service)"
    name = "\(server.user) at \(server.host)"
    isOfSending = service == "smtp"
    self.server =
      "\(service) \(server.host):\(server.port) \(server.tls.rawValue) \(server.auth.rawValue) \(server.user)"
    self.isHeeded = isHeeded
    self.derive = derive
  }

  /// When these settings were refused last, in Unix seconds; nil where they were not, or were accepted since. Whether the
  /// secret is another by now is not looked at.
  package var since: Int64? { record?.since }

  /// What a person is to know of it, as long as nobody tries again; nil where there is nothing to tell.
  package var explanation: Explanation? {
    since.map { since in
      Explanation(
        problem:
          "The server\(isOfSending ? " for sending" : "") refused the log-in of \(name) "
          + "(\(Self.day(since))): timers and `mirror watch` do not try it again before the password "
          + "or the configuration is another.",
        remedy:
          "Put it right; `mirror \(isOfSending ? "push" : "pull")` at a terminal tries in any case.",
        exitStatus: .refused)
    }
  }

  /// - Throws: `SettingsError.refusedBefore` where this very secret was refused.
  func check(_ secret: Secret) throws(SettingsError) {
    guard let record, let explanation, fingerprint(secret, record.salt) == record.fingerprint
    else { return }
    throw .refusedBefore(explanation)
  }

  /// A failure to keep it is none of the log-in's.
  func remember(_ secret: Secret, at now: Int64 = Int64(Date().timeIntervalSince1970)) {
    let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    guard let fingerprint = fingerprint(secret, salt) else { return }
    let record = Record(server: server, since: now, salt: salt, fingerprint: fingerprint)
    guard let data = try? JSONEncoder().encode(record) else { return }
    let files = FileManager.default
    try? files.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    _ = files.createFile(atPath: path, contents: data, attributes: [.posixPermissions: 0o600])
  }

  /// The server took one.
  func forget() { unlink(path) }

  private var record: Record? {
    guard let data = FileManager.default.contents(atPath: path),
      let record = try? JSONDecoder().decode(Record.self, from: data), record.server == server
    else { return nil }
    return record
  }

  private func fingerprint(_ secret: Secret, _ salt: [UInt8]) -> [UInt8]? {
    secret.withBytes { derive($0 + [0] + Array(server.utf8), salt) }
  }

  private static func day(_ seconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
  }
}
