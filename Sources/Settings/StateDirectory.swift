import Foundation

/// Where this machine keeps what belongs to no tree: `$XDG_STATE_HOME/mirror`, else `~/.local/state/mirror`.
package enum StateDirectory {
  /// Nil without a home directory. It need not exist yet.
  package static func path(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return base + "/mirror" }
    return PathExpansion(environment: environment).home.map { $0 + "/.local/state/mirror" }
  }
}
