#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension MaildirFolder {
  /// What Maildir calls stale: nobody can still be writing it.
  static let staleAge: Int64 = 36 * 3600 * 1_000_000_000

  /// Unlinks what dead runs of ours left in `tmp/`, and whatever has been there unused for 36
  /// hours. A message that such a run had put aside, and that is not what it had read, goes back to
  /// its place. To be called while the account is locked.
  ///
  /// - Returns: how many files went.
  @discardableResult
  package func cleanTemporaryFiles() throws(MaildirError) -> Int {
    let now = wallClock()
    var names: [[UInt8]] = []
    try DirectoryNames.forEach(in: tmp) { name, kind in
      if kind != .directory { names.append(Array(name)) }
    }
    var removed = 0
    for name in names {
      if let own = TemporaryName(name), own.ownerIsGone {
        removed += try tmp.unlink(name) ? 1 : 0
        continue
      }
      guard let facts = try tmp.facts(name), facts.isRegularFile else { continue }
      // Our files carry the message's date, so only all three times together tell the age.
      let touched = max(facts.modified, facts.changed, facts.accessed)
      let isStale = touched < now - Self.staleAge
      if let aside = AsideName(name) {
        // Perhaps the only one that has what a person saved: it never goes for its age.
        guard aside.owner.ownerIsGone || isStale else { continue }
        let there = try directory(of: aside.subdirectory).facts(aside.name)
        if aside.isSettled(by: facts) || there?.inode == facts.inode {
          removed += try tmp.unlink(name) ? 1 : 0
        } else {
          _ = try bringBack(aside)
        }
        continue
      }
      if isStale { removed += try tmp.unlink(name) ? 1 : 0 }
    }
    return removed
  }
}
