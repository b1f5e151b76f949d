import Foundation

/// Whether a watch that systemd runs for this user goes on while nobody is logged in.
struct WatchExamination {
  let environment: [String: String]
  /// What logind keeps of users who linger.
  var lingering = "/var/lib/systemd/linger"

  /// Nil where systemd runs no watch.
  func finding() -> Finding? {
    guard isEnabled else { return nil }
    let user = NSUserName()
    if FileManager.default.fileExists(atPath: "\(lingering)/\(user)") {
      return .fine("watch", "mirror-watch.service runs, also while nobody is logged in")
    }
    return .notice(
      "watch", "mirror-watch.service ends when you log out.",
      "loginctl enable-linger")
  }

  private var isEnabled: Bool {
    let home = environment["HOME"] ?? NSHomeDirectory()
    let base = environment["XDG_CONFIG_HOME"] ?? home + "/.config"
    let link = "systemd/user/default.target.wants/mirror-watch.service"
    return ["\(base)/\(link)", "/etc/\(link)"].contains {
      (try? FileManager.default.attributesOfItem(atPath: $0)) != nil
    }
  }
}
