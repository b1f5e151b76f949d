import Foundation
import Maildir

extension UndoRecord {
  /// Steps whose files lie outside all folders for this record's sake.
  var filesSetAside: [SortingStep] {
    steps.filter { $0.action == .setAside } + supersededFiles
  }

  /// Those of commands before it.
  var supersededFiles: [SortingStep] {
    (superseded ?? []) + (earlier ?? []).flatMap(\.filesSetAside)
  }
}

extension SortingTree {
  /// What these steps set aside can no longer be taken back. A file that is not surely theirs stays.
  func forget(_ steps: [SortingStep]) {
    var files = TreeFiles(self, for: steps)
    for step in steps {
      guard let path = try? asideFolder(step.account), let folder = try? folder(path) else {
        continue
      }
      let name = step.doneAs ?? step.base
      let entry =
        step.file == nil
        ? try? files.named(name, in: path) : try? files.same(step.file, named: name, in: path)
      guard let entry else { continue }
      files.take(entry, from: path)
      _ = try? folder.unlink(entry.file)
    }
  }
}
