import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a program that was killed left of the files that it was writing (``NewFile``).
enum AbandonedParts {
  /// On a disk that machines share, another's may still be written: nothing tells whether its program runs.
  private static let age = 3600

  static func name(_ process: Int32, _ number: UInt32) -> String {
    ".mirror-\(process)-\(number).part"
  }

  /// Removes those whose program runs no more. What cannot be looked at stays.
  static func remove(from directory: Int32) {
    guard let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC).nonNegative,
      let stream = fdopendir(copy)
    else { return }
    defer { closedir(stream) }
    let now = time(nil)
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      var facts = stat()
      guard let process = process(name), kill(process, 0) != 0, errno == ESRCH,
        fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) == 0,
        facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(),
        now - facts.modified > age
      else { continue }
      unlinkat(directory, name, 0)
    }
  }

  /// Of a name that is just of this form.
  private static func process(_ name: String) -> Int32? {
    let fields = name.dropFirst(".mirror-".count).dropLast(".part".count).split(separator: "-")
    guard fields.count == 2, let process = Int32(fields[0]), let number = UInt32(fields[1]),
      process > 0, name == self.name(process, number)
    else { return nil }
    return process
  }
}

extension Int32 {
  fileprivate var nonNegative: Int32? { self >= 0 ? self : nil }
}

extension stat {
  fileprivate var modified: Int {
    #if canImport(Glibc)
      st_mtim.tv_sec
    #else
      st_mtimespec.tv_sec
    #endif
  }
}
