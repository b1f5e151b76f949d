import MailCore

extension FolderLayout {
  /// The same where nothing was lost.
  package func assign(_ mailboxes: [MailboxName], keeping: [MailboxName: FolderPath] = [:])
    -> [MailboxName: FolderPath]
  {
    assign(mailboxes, keeping: keeping) { _ in false }
  }

  /// A directory for each mailbox; where the file system would take two for one, the later gets its
  /// twin form. A mailbox for which that is taken, too, gets none.
  ///
  /// - Parameters:
  ///   - keeping: directories that mailboxes have already: they stay.
  ///   - isThere: whether a folder lies there. One in its twin form was that mailbox's before the state was lost.
  package func assign(
    _ mailboxes: [MailboxName], keeping: [MailboxName: FolderPath] = [:],
    isThere: (FolderPath) throws -> Bool
  ) rethrows -> [MailboxName: FolderPath] {
    var assigned = keeping
    var taken = TakenPaths(traits: traits)
    for path in keeping.values { taken.take(path) }
    func assign(_ mailbox: MailboxName, _ path: FolderPath) {
      guard taken.isFree(path) else { return }
      taken.take(path)
      assigned[mailbox] = path
    }
    let sorted = mailboxes.filter { assigned[$0] == nil }
      .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    for mailbox in sorted {
      let twin = path(of: mailbox, twin: true)
      if try twin != path(of: mailbox) && isThere(twin) { assign(mailbox, twin) }
    }
    for mailbox in sorted where assigned[mailbox] == nil {
      assign(mailbox, path(of: mailbox))
      if assigned[mailbox] == nil { assign(mailbox, path(of: mailbox, twin: true)) }
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
