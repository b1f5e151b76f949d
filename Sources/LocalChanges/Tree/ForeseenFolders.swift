import MailCore

/// In a dry run: what the folders would be called that a pull would rename or remove. In a real one: nothing.
package struct ForeseenFolders: Sendable {
  private var moves: [(from: FolderPath, to: FolderPath?)] = []

  package init() {}

  package mutating func move(_ path: FolderPath, to target: FolderPath) {
    moves.append((path, target))
  }
  package mutating func remove(_ path: FolderPath) { moves.append((path, nil)) }

  /// Where the folder lies that would be at `path`; nil when none would.
  package func place(of path: FolderPath) -> FolderPath? {
    var path = path
    for (from, to) in moves.reversed() {
      if let to, let place = path.moved(from: to, to: from) {
        path = place
      } else if to == nil ? path == from : path.isInside(from) {
        return nil
      }
    }
    return path
  }

  /// What the folder at `place` would be called; nil when it would be gone.
  package func path(of place: FolderPath) -> FolderPath? {
    var path = place
    for (from, to) in moves {
      if let to {
        path = path.moved(from: from, to: to) ?? path
      } else if path == from {
        return nil
      }
    }
    return path
  }
}
