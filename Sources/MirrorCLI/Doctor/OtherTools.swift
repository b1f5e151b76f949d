import Foundation

/// Programs that may sync the same tree: two at work would take each other's changes for a person's.
struct OtherTools {
  let home: String
  let environment: [String: String]
  /// The tree's.
  let root: String

  /// A configuration is short; what is longer is something else.
  private static let limit = 1 << 20

  func findings() -> [Finding] { configured() + states() }

  /// Their configurations that name our tree.
  private func configured() -> [Finding] {
    let folder = base("XDG_CONFIG_HOME", ".config")
    let files = [
      ("mbsync", home + "/.mbsyncrc"), ("mbsync", folder + "/isyncrc"),
      ("offlineimap", home + "/.offlineimaprc"), ("offlineimap", folder + "/offlineimap/config"),
    ]
    return files.filter { namesTree($0.1) }.map { tool, path in
      .notice(
        "other-tools", "\(path) has \(tool) sync \(root), too.",
        "Take the account out there once mirror keeps it.")
    }
  }

  private func namesTree(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    guard let bytes = try? file.read(upToCount: Self.limit) else { return false }
    var spellings = [root]
    if root.hasPrefix(home + "/") {
      let rest = root.dropFirst(home.count)
      spellings += ["~\(rest)", "$HOME\(rest)"]
    }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).contains {
      let line = $0.drop { $0 == " " || $0 == "\t" }
      guard line.first != "#", line.first != ";" else { return false }
      return spellings.contains { Self.names(line, $0) }
    }
  }

  /// The path itself, or something in it; not one whose name only begins so.
  private static func names(_ line: Substring, _ path: String) -> Bool {
    guard let found = line.range(of: path) else { return false }
    let next = line[found.upperBound...].first
    return next == nil || next == "/" || next == "\"" || next == "'" || next?.isWhitespace == true
  }

  /// What they remember of what they synced, of whatever tree.
  private func states() -> [Finding] {
    let places = [
      ("mbsync", home + "/.mbsync"), ("mbsync", base("XDG_STATE_HOME", ".local/state") + "/isync"),
      ("offlineimap", home + "/.offlineimap"),
    ]
    return places.filter { access($0.1, F_OK) == 0 }.map { tool, path in
      .notice(
        "other-tools", "\(path) holds \(tool)'s state.",
        "Make sure that it does not sync the same tree any more.")
    }
  }

  private func base(_ variable: String, _ usual: String) -> String {
    guard let path = environment[variable], path.hasPrefix("/") else { return home + "/" + usual }
    return path
  }
}
