import Foundation
import MailCore
import Settings

/// A configuration in a directory of its own, removed with the test.
final class ConfigurationFile {
  let directory: String
  var path: String { directory + "/config.toml" }
  var environment = ["HOME": "/home/alice"]

  init(_ text: String, mode: Int = 0o600) throws {
    directory = NSTemporaryDirectory() + "/settings-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  func load(knownQuirks: [String]? = nil) throws(SettingsError) -> Configuration {
    try Configuration.load(path: path, environment: environment, knownQuirks: knownQuirks)
  }

  /// The error's text with the directory cut away, or `nil` if all is well.
  func problem(knownQuirks: [String]? = nil) -> (
    problem: String, remedy: String, status: ExitStatus
  )? {
    do throws(SettingsError) {
      _ = try load(knownQuirks: knownQuirks)
      return nil
    } catch {
      let words = error.explanation
      return (
        words.problem.replacingOccurrences(of: directory + "/", with: ""), words.remedy ?? "",
        words.exitStatus
      )
    }
  }
}

/// A whole account on lines 1 to 5; `extra` begins at line 6, still inside of `[accounts.me.imap]`.
func minimal(_ extra: String = "") -> String {
  """
  root = "/mail"
  [accounts.me.imap]
  host = "imap.example.org"
  user = "me"
  password-command = ["pass", "show", "mail"]
  \(extra)
  """
}
