import Foundation
import Subprocess

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the person's own programs find in their environment.
package enum ChildEnvironment {
  /// That of this process, with `more` over it.
  package static func make(over more: [String: String] = [:]) -> Environment {
    let changes = changes(
      over: more, own: ProcessInfo.processInfo.environment, terminal: { terminal })
    var keys: [Environment.Key: String?] = [:]
    for (name, value) in changes { keys[Environment.Key(stringLiteral: name)] = value }
    return .inherit.updating(keys)
  }

  /// What is other than in `own`. gpg's agent asks for a passphrase at the terminal that `GPG_TTY` names, and fails
  /// without it; few have it set outside of the shell that they configured.
  static func changes(
    over more: [String: String], own: [String: String], terminal: () -> String?
  ) -> [String: String] {
    var changes = more.filter { own[$0.key] != $0.value }
    if (more["GPG_TTY"] ?? own["GPG_TTY"] ?? "").isEmpty, let terminal = terminal() {
      changes["GPG_TTY"] = terminal
    }
    return changes
  }

  /// The name of the terminal that we talk to somebody at.
  private static var terminal: String? {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      var name = [CChar](repeating: 0, count: 256)
      guard ttyname_r(descriptor, &name, name.count) == 0 else { continue }
      let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      return String(decoding: bytes, as: UTF8.self)
    }
    return nil
  }
}
