import MailCore
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Why changes of a tree are not all reported, so that somebody has to look for them.
package enum NoWatching: Error, Equatable, Sendable {
  /// The user has used up its inotify instances, or the process its open files.
  case noInstanceLeft
  case noWatchLeft
  /// What other machines do in this file system is not reported.
  case reportsNothing(fileSystem: String)
  case unreadable(folder: String)
  case tree(MaildirError)
  /// Any other failure of a system call.
  case system(call: String, code: Int32)
  /// This system's way of reporting is not used.
  case notHere
}

extension NoWatching: Explained {
  package var explanation: Explanation {
    let looked = "Changes are looked for once a minute"
    return switch self {
    case .noInstanceLeft:
      Explanation(
        problem: "The system lets this user watch no more directories. \(looked).",
        remedy: "Raise fs.inotify.max_user_instances (sysctl), or end programs that watch files.",
        exitStatus: .inPart)
    case .noWatchLeft:
      Explanation(
        problem: "The system lets this user watch too few directories. \(looked).",
        remedy: "Raise fs.inotify.max_user_watches (sysctl).", exitStatus: .inPart)
    case .reportsNothing(let fileSystem):
      Explanation(
        problem: "The mail lies on \(fileSystem), which does not report all changes. \(looked).",
        exitStatus: .done)
    case .unreadable(let folder):
      Explanation(
        problem: "“\(folder.visible)” cannot be read, and so not be watched. \(looked).",
        remedy: "Check who owns it and its permissions.", exitStatus: .inPart)
    case .tree(let error):
      Explanation(
        problem: "\(error.explanation.problem) \(looked).", remedy: error.explanation.remedy,
        exitStatus: .inPart)
    case .system(let call, let code):
      Explanation(
        problem: "\(call) failed: \(String(cString: strerror(code))). \(looked).",
        exitStatus: .inPart)
    case .notHere:
      Explanation(problem: "Changes are not reported on this system. \(looked).", exitStatus: .done)
    }
  }
}
