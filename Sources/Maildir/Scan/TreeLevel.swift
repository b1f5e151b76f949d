import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The directories in a directory, told from links, which may lead to one.
struct TreeLevel {
  private(set) var directories: [String] = []
  private(set) var links: [String] = []
  /// Directories and links whose names are no UTF-8.
  private(set) var unnamed: [[UInt8]] = []

  /// Sorted by name.
  init(_ directory: Directory) throws(MaildirError) {
    try DirectoryNames.forEach(in: directory) { bytes, kind throws(MaildirError) in
      if kind == .file { return }
      let raw = Array(bytes)
      let format = try kind == .directory ? S_IFDIR : Self.format(of: raw, in: directory)
      guard format == S_IFDIR || format == S_IFLNK else { return }
      guard let name = String(validating: raw, as: UTF8.self) else {
        unnamed.append(raw)
        return
      }
      if format == S_IFDIR { directories.append(name) } else { links.append(name) }
    }
    directories.sort()
    links.sort()
    unnamed.sort { $0.lexicographicallyPrecedes($1) }
  }

  /// What the name itself stands for; 0 when it is gone.
  private static func format(of name: [UInt8], in directory: Directory) throws(MaildirError)
    -> mode_t
  {
    var status = stat()
    let failed = try name.withName { name throws(MaildirError) in
      fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0
    }
    return failed ? 0 : status.st_mode & S_IFMT
  }
}

extension [UInt8] {
  /// For people: bytes that are no UTF-8 as `\xE9`.
  var escapedForPeople: String {
    if let text = String(validating: self, as: UTF8.self) { return text }
    var text = ""
    for byte in self {
      if byte < 0x80 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "\\x" + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
