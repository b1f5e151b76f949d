#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One message file, as any Maildir reader sees it.
package struct LocalMessage: Sendable, Hashable {
  /// Relative to the account's directory.
  package var folder: String
  /// `new` or `cur`.
  package var subdirectory: String
  /// The file name without its flags.
  package var base: String
  /// Letters after `:2,`.
  package var flags: String
  /// Unix seconds.
  package var modified: Int64
  package var raw: [UInt8]
  package var inode: UInt64

  package var name: String { subdirectory == "new" && flags.isEmpty ? base : base + ":2," + flags }
  package var path: String { "\(folder)/\(subdirectory)/\(name)" }

  /// The value of our line, decoded, where the file begins with it.
  package func keywords(header: String = "X-Keywords") -> Set<String> {
    guard let value = keywordsLine(header) else { return [] }
    return Set(
      value.split(separator: ",").map { Self.decoded(Self.trimmed(String($0))) }.filter {
        !$0.isEmpty
      })
  }

  /// The bytes below our line.
  package func content(header: String = "X-Keywords") -> [UInt8] {
    guard keywordsLine(header) != nil, let end = raw.firstIndex(of: 10) else { return raw }
    return Array(raw[(end + 1)...])
  }

  private func keywordsLine(_ header: String) -> String? {
    let line = raw.prefix(while: { $0 != 10 })
    let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    guard text.lowercased().hasPrefix(header.lowercased() + ":") else { return nil }
    return String(text.dropFirst(header.count + 1))
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  private static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// All Maildirs below an account's directory, with `.mirror` and the like left out.
package struct MaildirTree: Sendable {
  package var messages: [LocalMessage] = []
  /// Folders that exist, empty ones too.
  package var folders: [String] = []
  /// Whatever lies in a `tmp`.
  package var temporaries: [String] = []

  package init(_ account: String) throws { try read(account, "") }

  private mutating func read(_ account: String, _ folder: String) throws {
    let here = folder.isEmpty ? account : account + "/" + folder
    let entries = names(in: here)
    let isMaildir = ["cur", "new", "tmp"].allSatisfy { entries.contains($0) }
    if isMaildir {
      folders.append(folder)
      temporaries += names(in: here + "/tmp").map { "\(folder)/tmp/\($0)" }
      for part in ["new", "cur"] { try readMessages(here, folder, part) }
    }
    for name in entries where name != ".mirror" && isDirectory(here + "/" + name) {
      if isMaildir && ["cur", "new", "tmp"].contains(name) { continue }
      try read(account, folder.isEmpty ? name : folder + "/" + name)
    }
  }

  private mutating func readMessages(_ here: String, _ folder: String, _ part: String) throws {
    for name in names(in: "\(here)/\(part)") where !name.hasPrefix(".") {
      let path = "\(here)/\(part)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      var base = name
      var flags = ""
      if let mark = name.utf8.lastIndex(where: { $0 == 58 || $0 == 59 || $0 == 33 }),
        name[name.index(after: mark)...].hasPrefix("2,")
      {
        base = String(name[..<mark])
        flags = String(name[name.index(mark, offsetBy: 3)...])
      }
      messages.append(
        LocalMessage(
          folder: folder, subdirectory: part, base: base, flags: flags,
          modified: Int64(status.st_mtim.tv_sec), raw: try readFile(path),
          inode: UInt64(status.st_ino)))
    }
  }

  /// Byte for byte: names that Swift takes for equal may be two folders.
  package subscript(_ folder: String) -> [LocalMessage] {
    messages.filter { $0.folder.utf8.elementsEqual(folder.utf8) }
  }

  /// The one message that has this text in it.
  package func message(with token: String, in folder: String? = nil) -> LocalMessage? {
    let wanted = Array(token.utf8)
    return messages.first {
      (folder == nil || $0.folder == folder) && contains($0.raw, wanted)
    }
  }

  package func count(of token: String) -> Int {
    let wanted = Array(token.utf8)
    return messages.count { contains($0.raw, wanted) }
  }
}

/// Whether `part` lies somewhere in `whole`.
package func contains(_ whole: [UInt8], _ part: [UInt8]) -> Bool {
  guard let first = part.first else { return true }
  return whole.withUnsafeBytes { bytes in
    guard var place = bytes.baseAddress else { return false }
    // The C library's loops, since a debug build goes through this very often.
    let end = place + bytes.count
    while let found = memchr(place, Int32(first), end - place),
      end - UnsafeRawPointer(found) >= part.count
    {
      if memcmp(found, part, part.count) == 0 { return true }
      place = UnsafeRawPointer(found) + 1
    }
    return false
  }
}
