import CLISupport
import Foundation
import MailCore
import Settings

/// One account's directory: is it whole, and does it belong to us alone?
struct TreeExamination {
  let directory: String

  /// How many directories are looked into for what other tools left.
  private static let limit = 2000

  func findings() -> [Finding] {
    guard access(directory, F_OK) == 0 else {
      return [.notice("account-tree", "nothing was pulled yet.")]
    }
    return state() + leftovers()
  }

  private func state() -> [Finding] {
    let control = directory + "/.mirror"
    guard access(control, F_OK) == 0 else {
      return [
        .notice(
          "state", "\(directory) holds mail, but no state of ours.",
          "The next pull adopts what lies there, without downloading it again.")
      ]
    }
    let path = control + "/state.db"
    guard access(path, F_OK) == 0 else {
      return [
        .notice(
          "state", "\(path) is missing.", "The next pull rebuilds it from the backup or the files.")
      ]
    }
    guard isDatabase(path) else {
      return [
        .wrong(
          "state", "\(path) is damaged.", "Pull: it is rebuilt from the backup or the files.",
          .badData)
      ]
    }
    return [.fine("state", "\(path) is a database")]
      + [exposure(control), backup(control + "/state.backup.db")].compactMap(\.self)
  }

  private func backup(_ path: String) -> Finding? {
    guard access(path, F_OK) == 0 else {
      return .notice(
        "state", "there is no backup of the state yet.", "Each pull that ends makes one.")
    }
    guard isDatabase(path) else {
      return .wrong("state", "\(path) is damaged.", "The next pull writes a new one.", .badData)
    }
    return nil
  }

  private func exposure(_ control: String) -> Finding? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: control)
    guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o022 != 0 else { return nil }
    return .wrong(
      "state", "others can write into \(control).", "chmod 700 '\(control)'", .refused)
  }

  private func isDatabase(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }

  private func leftovers() -> [Finding] {
    var found: [String: String] = [:]
    var seen = 0
    let walker = FileManager.default.enumerator(atPath: directory)
    while let path = walker?.nextObject() as? String, seen < Self.limit {
      let name = (path as NSString).lastPathComponent
      if ["cur", "new", "tmp", ".mirror"].contains(name) {
        walker?.skipDescendants()
        seen += 1
      }
      if let tool = Self.tool(of: name), found[tool] == nil { found[tool] = path }
    }
    return found.sorted { $0.key < $1.key }.map { tool, path in
      .notice(
        "other-tools", "\(path) was left by \(tool).",
        "Make sure that it does not sync this tree any more; then the file can go.")
    }
  }

  private static func tool(of name: String) -> String? {
    if name.hasPrefix(".mbsyncstate") || name == ".uidvalidity" || name == ".isyncuidmap.db" {
      return "mbsync"
    }
    return name == "dovecot-uidlist" ? "Dovecot" : nil
  }
}
