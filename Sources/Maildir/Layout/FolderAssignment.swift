import MailCore

extension FolderLayout {
  /// A directory for each mailbox; where the file system would take two for one, the later gets its
  /// twin form.
  ///
  /// - Parameter keeping: directories that mailboxes have already: they stay.
  package func assign(_ mailboxes: [MailboxName], keeping: [MailboxName: FolderPath] = [:])
    -> [MailboxName: FolderPath]
  {
    var assigned = keeping
    var taken = TakenPaths(traits: traits)
    for path in keeping.values { taken.take(path) }
    let sorted = mailboxes.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    for mailbox in sorted where assigned[mailbox] == nil {
      var path = path(of: mailbox)
      if !taken.isFree(path) { path = self.path(of: mailbox, twin: true) }
      taken.take(path)
      assigned[mailbox] = path
    }
    return assigned
  }
}

/// Paths in use, as the file system sees them.
private struct TakenPaths {
  let traits: FileSystemTraits
  /// Each path above and including a folder's, folded, with the one spelling that it has.
  private var spellings: [[String]: [String]] = [:]
  private var folders: Set<[String]> = []

  init(traits: FileSystemTraits) { self.traits = traits }

  func isFree(_ path: FolderPath) -> Bool {
    if folders.contains(path.components.map(folded)) { return false }
    return prefixes(of: path).allSatisfy { prefix in
      guard let known = spellings[prefix.map(folded)] else { return true }
      return zip(known, prefix).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
  }

  mutating func take(_ path: FolderPath) {
    folders.insert(path.components.map(folded))
    for prefix in prefixes(of: path) {
      let key = prefix.map(folded)
      if spellings[key] == nil { spellings[key] = prefix }
    }
  }

  private func prefixes(of path: FolderPath) -> [[String]] {
    path.components.indices.map { Array(path.components[...$0]) }
  }

  /// Full case folding, near enough; Swift compares strings by canonical equivalence, which folds
  /// normalisation.
  private func folded(_ component: String) -> String {
    traits.foldsCase ? component.uppercased().lowercased() : component
  }
}
