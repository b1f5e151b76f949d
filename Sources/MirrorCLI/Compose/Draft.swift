import Foundation
import MailCore

/// A message in a file of its own, for the editor.
struct Draft {
  let path: String
  /// Nil where the file is not ours to remove.
  private let directory: URL?
  private let before: [UInt8]

  init(_ bytes: [UInt8]) throws {
    before = bytes
    let directory = try FileManager.default.url(
      for: .itemReplacementDirectory, in: .userDomainMask,
      appropriateFor: URL(fileURLWithPath: NSTemporaryDirectory()), create: true)
    self.directory = directory
    path = directory.appendingPathComponent("message.eml").path
    guard
      FileManager.default.createFile(
        atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
  }

  /// What an earlier edit of this message left.
  init(kept path: String, of before: [UInt8]) {
    self.path = path
    self.before = before
    directory = nil
  }

  /// What the editor left; nil where nothing was changed.
  func edited() throws -> [UInt8]? {
    let environment = ProcessInfo.processInfo.environment
    let editor = environment["VISUAL"] ?? environment["EDITOR"] ?? "vi"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "\(editor) \"$1\"", "sh", path]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw EditorFailure(editor: editor) }
    let after = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    return after == before ? nil : after
  }

  func remove() {
    if let directory { try? FileManager.default.removeItem(at: directory) }
  }
}

struct EditorFailure: Explained {
  let editor: String

  var explanation: Explanation {
    Explanation(
      problem: "The editor “\(editor.visible)” failed; the message stays as it was.",
      remedy: "Set $VISUAL or $EDITOR; `mirror outbox release` lets a queued message go as it was.",
      exitStatus: .inPart)
  }
}
