import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the queue does with the files in its directories. All names are ours or checked, and single.
extension Directory {
  /// A new file under a temporary name; nil where the name is taken. A lock that dies with us shows that
  /// somebody is at work on it, also to those who see no process of that number: in a container.
  func create(_ name: [UInt8]) throws(MaildirError) -> Descriptor? {
    if isNowhere { throw .treeVanished(path: path) }
    guard let file = try open(name, O_WRONLY | O_CREAT | O_EXCL) else { return nil }
    _ = flock(file.raw, LOCK_EX | LOCK_NB)
    return file
  }

  /// Whether nobody will ever finish this file: its name is a temporary one of a process that is gone,
  /// and nobody holds it. Where files cannot be locked it must be an hour old.
  func isAbandoned(_ name: [UInt8]) throws(MaildirError) -> Bool {
    guard let owner = TemporaryName(name), owner.ownerIsGone,
      let file = try open(name, O_RDONLY)
    else { return false }
    if flock(file.raw, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno != EWOULDBLOCK else { return false }
    return try QueueFileFacts(file, path: path).isOld()
  }

  /// Nil where there is no such file.
  func queueFacts(_ name: some FileName) throws(MaildirError) -> QueueFileFacts? {
    guard let file = try open(name, O_RDONLY) else { return nil }
    return try QueueFileFacts(file, path: path)
  }

  /// The whole file; nil where there is none. Empty where it is too large to be a record.
  func read(_ name: String, atMost limit: Int) throws(MaildirError) -> [UInt8]? {
    try readMarked(name, atMost: limit)?.bytes
  }

  /// The same, and which file it is.
  func readMarked(_ name: String, atMost limit: Int) throws(MaildirError)
    -> (bytes: [UInt8], file: FileMark)?
  {
    guard let file = try open(name, O_RDONLY) else { return nil }
    let facts = try QueueFileFacts(file, path: path)
    guard facts.size <= UInt64(limit) else { return ([], facts.mark) }
    var bytes = [UInt8](repeating: 0, count: Int(facts.size))
    let count = try file.read(into: &bytes, path: path)
    bytes.removeSubrange(count...)
    return (bytes, facts.mark)
  }

  /// Writes the file anew under a temporary name, syncs it and puts it in place of the old one: a
  /// reader, or a power cut, finds one or the other.
  ///
  /// - Parameter durably: false leaves the directory's sync to a later call.
  func replace(_ name: String, with bytes: [UInt8], durably: Bool = true) throws(MaildirError) {
    try replace(name, durably: durably) { _ in bytes }
  }

  /// The same for what knows which file it is written as.
  func replace(_ name: String, durably: Bool = true, _ bytes: (FileMark) -> [UInt8])
    throws(MaildirError)
  {
    let temporary = TemporaryName.next()
    guard let file = try create(temporary) else { throw .nameTaken(name: name) }
    do throws(MaildirError) {
      try file.write(bytes(QueueFileFacts(file, path: path).mark), path: path)
      try file.sync(path: path)
      try replace(name, with: temporary, of: self)
    } catch {
      _ = try? unlink(temporary)
      throw error
    }
    if durably { try sync() }
  }

  func names() throws(MaildirError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    try DirectoryNames.forEach(in: self) { name, _ in
      if name.first != UInt8(ascii: ".") { names.append(Array(name)) }
    }
    return names
  }

  /// Makes them as young as what is written now, for ``QueueFileFacts/isOld(at:)``.
  func touch(_ names: [[UInt8]]) throws(MaildirError) {
    for name in names {
      _ = try name.withName { name in utimensat(descriptor, name, nil, 0) }
    }
  }
}
