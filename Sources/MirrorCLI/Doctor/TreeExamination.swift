import CLISupport
import Foundation
import LocalChanges
import MailCore
import Sync
import SyncPlan

/// One account's directory: is it whole, and does it belong to us alone?
struct TreeExamination {
  /// The account's.
  let directory: String
  var status: AccountStatus?
  /// Looks at all pages of a database.
  var health: (String) -> StateHealth = { StateHealth.of($0) }

  /// How many directories are looked into.
  private static let limit = 2000

  func findings() -> [Finding] {
    guard access(directory, F_OK) == 0 else {
      return [.notice("account-tree", "nothing was pulled yet.")]
    }
    do throws(SyncError) {
      try TreeWitness.checkForgotten(path: directory)
    } catch {
      return [.wrong("account-tree", error)]
    }
    let walk = walked()
    return [permissions(walk.places)]
      + StateExamination(directory: directory, status: status, health: health).findings()
      + leftovers(walk.left)
  }

  /// Directories that mail is written into, and the first file that each other tool left.
  private func walked() -> (places: [String], left: [String: String]) {
    var places = [directory]
    var left: [String: String] = [:]
    let walker = FileManager.default.enumerator(atPath: directory)
    while let path = walker?.nextObject() as? String, places.count < Self.limit {
      let name = (path as NSString).lastPathComponent
      if ["cur", "new", "tmp", ".mirror"].contains(name) {
        walker?.skipDescendants()
        places.append(directory + "/" + path)
      }
      if let tool = Self.tool(of: name), left[tool] == nil { left[tool] = path }
    }
    let state = directory + "/.mirror/state.db"
    return (access(state, F_OK) == 0 ? places + [state] : places, left)
  }

  // MARK: Permissions

  /// What cannot be written, or is somebody else's: mostly the trace of one run as root.
  private func permissions(_ places: [String]) -> Finding {
    let owner = geteuid() == 0 ? Self.owner(of: directory) : geteuid()
    let bad = places.filter { access($0, R_OK | W_OK) != 0 || Self.owner(of: $0) != owner }
    guard let first = bad.first else {
      return .fine("permissions", "\(directory) can be written, and is one user's")
    }
    let more = bad.count > 1 ? " and \(bad.count - 1) more" : ""
    let user = owner.map { Self.name(of: $0) } ?? "USER"
    return .wrong(
      "permissions", "\(first)\(more) cannot be written, or belongs to another user.",
      "chown -R \(user) '\(directory)'", .refused)
  }

  private static func owner(of path: String) -> uid_t? {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_uid : nil
  }

  private static func name(of user: uid_t) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? String(user)
  }

  // MARK: Other tools

  private func leftovers(_ left: [String: String]) -> [Finding] {
    left.sorted { $0.key < $1.key }.map { tool, path in
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
