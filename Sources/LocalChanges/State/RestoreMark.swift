import Foundation
import Ledger
import Maildir

/// `.mirror/outbox-restored`: left by a run that adopts a tree, for whoever sends its queue next.
enum RestoreMark {
  static func path(_ tree: AccountTree) -> String { tree.control.path + "/outbox-restored" }

  /// Durably, before the state forgets that the tree is another.
  ///
  /// Only where something waits: what is queued later belongs to the tree as it is now.
  static func leave(in tree: AccountTree) throws {
    let waits = ["new", "cur"].contains { part in
      let path = tree.control.path + "/outbox/" + part
      return (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) == false
    }
    guard waits else { return }
    let path = path(tree)
    for (name, flags) in [(path, O_WRONLY | O_CREAT | O_CLOEXEC), (tree.control.path, O_RDONLY)] {
      let file = open(name, flags, 0o600)
      guard file >= 0 else {
        throw StateError.failed("\(name): \(String(cString: strerror(errno)))")
      }
      fsync(file)
      close(file)
    }
  }
}
