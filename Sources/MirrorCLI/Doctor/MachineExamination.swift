import CLISupport
import Foundation
import MailCore
import Settings

/// What every account needs: a sound configuration, a tree that can be written, room, and a clock.
struct MachineExamination {
  let configuration: Configuration
  var environment = ProcessInfo.processInfo.environment

  func findings() -> [Finding] {
    let others = OtherTools(
      home: environment["HOME"] ?? NSHomeDirectory(), environment: environment,
      root: configuration.root)
    return [configurationFinding(), clock()] + tree()
      + InterruptedRemoval.untold(configuration).map { .wrong("tree", $0) }
      + [space(), IndexExamination(root: configuration.root).finding()].compactMap(\.self)
      + [WatchExamination(environment: environment).finding()].compactMap(\.self)
      + others.findings()
  }

  private func configurationFinding() -> Finding {
    let count = Quantities.count(configuration.accounts.count, "account")
    var facts = stat()
    if stat(configuration.path, &facts) == 0, facts.st_mode & 0o022 != 0 {
      return .wrong(
        "configuration", "others can write into \(configuration.path): its commands run as you.",
        "chmod go-w '\(configuration.path)'", .refused)
    }
    return .fine("configuration", "\(configuration.path), \(count)")
  }

  /// A certificate's dates and a window of days mean nothing under a wrong clock.
  private func clock() -> Finding {
    let now = Date().timeIntervalSince1970
    let written =
      (try? FileManager.default.attributesOfItem(atPath: configuration.path))?[.modificationDate]
      as? Date
    if now < Self.releaseTime {
      return .wrong(
        "clock", "it is set before this program was written.", "Set the clock, or start NTP.")
    }
    if let written, written.timeIntervalSince1970 > now + 86_400 {
      return .notice(
        "clock", "the configuration was written in the future.", "Check the date of this machine.")
    }
    return .fine("clock", "plausible")
  }

  /// 2026-11-01.
  private static let releaseTime = 1_793_491_200.0

  private func tree() -> [Finding] {
    let root = configuration.root
    let files = FileManager.default
    var isDirectory: ObjCBool = false
    guard files.fileExists(atPath: root, isDirectory: &isDirectory) else {
      let parent = nearestExisting(root)
      guard access(parent, W_OK | X_OK) == 0 else {
        return [
          .wrong(
            "tree", "\(root) is not there, and cannot be made in \(parent).",
            "Make it, or mount what it lies on.", .refused)
        ]
      }
      return [.notice("tree", "\(root) is not there yet; the first pull makes it.")]
    }
    guard isDirectory.boolValue else {
      return [.wrong("tree", "\(root) is no directory.", "Let root name one.", .configuration)]
    }
    guard access(root, R_OK | W_OK | X_OK) == 0 else {
      let reason = String(cString: strerror(errno))
      return [.wrong("tree", "\(root) cannot be written: \(reason).", "Check its owner.", .refused)]
    }
    return [.fine("tree", "\(root) can be written"), privacy()].compactMap(\.self)
  }

  private func privacy() -> Finding? {
    guard
      let mode = try? FileManager.default.attributesOfItem(atPath: configuration.root)[
        .posixPermissions] as? Int, mode & 0o007 != 0
    else { return nil }
    return .notice(
      "tree", "everyone on this machine may look into \(configuration.root).",
      "chmod 700 '\(configuration.root)'")
  }

  private func space() -> Finding? {
    var facts = statvfs()
    let place = nearestExisting(configuration.root)
    guard statvfs(place, &facts) == 0 else { return nil }
    let free = Int64(clamping: UInt64(facts.f_bavail) &* UInt64(facts.f_frsize))
    let words = "\(Quantities.bytes(free)) free at \(place)"
    if facts.f_files > 0, facts.f_favail < 10_000 {
      return .wrong(
        "disk-space", "only \(facts.f_favail) more files can be made at \(place).",
        "Each message is a file: delete some others, or move the tree.")
    }
    if free < 100_000_000 { return .wrong("disk-space", words + ".", "Make room.") }
    if free < 2_000_000_000 {
      return .notice("disk-space", words + ".", "A first pull may need more.")
    }
    return .fine("disk-space", words)
  }

  private func nearestExisting(_ path: String) -> String {
    var path = path
    while path != "/", access(path, F_OK) != 0 {
      path = (path as NSString).deletingLastPathComponent
      if path.isEmpty { return "/" }
    }
    return path
  }
}
