#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A mail reader at work in the tree: it renames, moves, removes and rewrites files as neomutt and mblaze do.
package struct Reader: Sendable {
  /// The account's directory.
  package let account: String

  package init(account: String) { self.account = account }
  package init(_ mirror: MirrorProgram) { self.init(account: mirror.account) }

  /// Sets the flag letters; flagged mail lives in `cur`.
  package func setFlags(_ message: LocalMessage, _ letters: String) throws {
    let sorted = String(letters.sorted())
    try move(message.path, "\(message.folder)/cur/\(message.base):2,\(sorted)")
  }

  /// Moves a message to another folder and keeps its name.
  package func move(_ message: LocalMessage, to folder: String) throws {
    try move(message.path, "\(folder)/\(message.subdirectory)/\(message.name)")
  }

  package func remove(_ message: LocalMessage) throws {
    guard unlink("\(account)/\(message.path)") == 0 else {
      throw KitError("unlink \(message.path): \(errno)")
    }
  }

  /// Rewrites the keywords line through `tmp` and keeps the date, as a tool that knows the convention does.
  package func setKeywords(_ message: LocalMessage, _ keywords: [String]) throws {
    let line = keywords.isEmpty ? "" : "X-Keywords: \(keywords.joined(separator: ", "))\n"
    try rewrite(message, Array(line.utf8) + message.content())
  }

  /// Replaces what a file holds.
  package func rewrite(_ message: LocalMessage, _ bytes: [UInt8]) throws {
    let temporary = "\(account)/\(message.folder)/tmp/reader-\(message.inode)"
    try writeFile(temporary, bytes)
    let date = timespec(tv_sec: time_t(message.modified), tv_nsec: 0)
    utimensat(AT_FDCWD, temporary, [date, date], 0)
    guard rename(temporary, "\(account)/\(message.path)") == 0 else {
      throw KitError("rename \(message.path): \(errno)")
    }
  }

  /// Puts a message of the reader's own into a folder.
  package func deliver(_ bytes: [UInt8], name: String, to folder: String, flags: String = "S")
    throws
  {
    try writeFile("\(account)/\(folder)/cur/\(name):2,\(flags)", bytes)
  }

  private func move(_ old: String, _ new: String) throws {
    guard rename("\(account)/\(old)", "\(account)/\(new)") == 0 else {
      throw KitError("rename \(old) to \(new): \(errno)")
    }
  }
}
