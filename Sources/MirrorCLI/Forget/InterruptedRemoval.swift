import CLISupport
import Foundation
import MailCore
import Settings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A `forget` that was cut off, or is at work. All that opens the root tells of it: the configuration may know nothing of
/// the account any more.
struct InterruptedRemoval: Explained {
  let account: String
  private let root: String

  /// All below a root, by what a removal leaves on disk from its first step to its last.
  static func all(root: String) -> [InterruptedRemoval] {
    let limbo = "\(root)/\(AccountPlace.controlName)/\(AccountPlace.limboName)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: limbo)) ?? []
    return names.sorted().map { InterruptedRemoval(account: $0, root: root) }.filter(\.isBegun)
  }

  /// Those of which no command tells that comes to the account itself: it finds no tree in its place.
  static func untold(_ configuration: Configuration) -> [InterruptedRemoval] {
    all(root: configuration.root).filter { removal in
      configuration.account(named: removal.account) == nil
        || !isBlock("\(configuration.root)/\(removal.account)")
    }
  }

  private var place: String {
    "\(root)/\(AccountPlace.controlName)/\(AccountPlace.limboName)/\(account)"
  }

  private var isBegun: Bool {
    let tree = "\(place)/\(AccountPlace.treeName)"
    return access(tree, F_OK) == 0 && !Self.isBlock(tree)
      || Self.isFile("\(place)/\(AccountPlace.decisionName)") || Self.isBlock("\(root)/\(account)")
  }

  /// What takes a tree's place meanwhile.
  private static func isBlock(_ path: String) -> Bool {
    isFile("\(path)/\(AccountPlace.controlName)")
  }

  private static func isFile(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  var explanation: Explanation {
    Explanation(
      problem:
        "`mirror forget \(account)` was interrupted, or is at work: not all of the account is removed "
        + "(\(place.visible)).",
      remedy: "Run `mirror forget \(account)` again.", exitStatus: .inPart)
  }
}

extension Report {
  func tellInterruptedRemovals(_ configuration: Configuration) {
    for removal in InterruptedRemoval.untold(configuration) { problem(removal) }
  }
}
