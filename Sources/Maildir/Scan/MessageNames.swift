import MailCore

/// The names in `new` or `cur` that are messages', or symbolic links'.
enum MessageNames {
  /// Calls `body` with each name, the length of its base, and whether it is a symbolic link: those are no messages,
  /// wherever they lead. Names with a leading dot, and directories, are left out.
  static func forEach(
    in directory: Directory,
    _ body: (UnsafeRawBufferPointer, Int, Bool) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    try DirectoryNames.forEach(in: directory) { name, kind throws(MaildirError) in
      if kind == .directory || name[0] == UInt8(ascii: ".") { return }
      var isLink = kind == .link
      if kind == .unknown { isLink = try directory.isLink(Array(name)) }
      try body(name, MaildirFileName.baseLength(of: name), isLink)
    }
  }
}

extension MaildirFolder {
  /// The files themselves at once, for who reads what they hold; symbolic links, too.
  package func files() throws(MaildirError) -> [MessageFile] {
    var files: [MessageFile] = []
    try FolderScan.forEachFile(in: self) { files.append($0) }
    return files
  }

  /// Those whose base name's hash is not in `known` (ascending). No symbolic links.
  package func files(besides known: [NameHash]) throws(MaildirError) -> [MessageFile] {
    var files: [MessageFile] = []
    try FolderScan.unknown(in: self, known: known) { files.append($0) }
    return files
  }
}

extension FolderScan {
  /// A pass over the names themselves, symbolic links' too, in the directories' order.
  package static func forEachFile(
    in folder: MaildirFolder, _ body: (MessageFile) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    for subdirectory in Subdirectory.allCases {
      try MessageNames.forEach(in: folder.directory(of: subdirectory)) {
        name, _, _ throws(MaildirError) in
        try body(MessageFile(subdirectory: subdirectory, name: Array(name)))
      }
    }
  }

  /// The files whose base name's hash is not in `known` (ascending): what a reader or another tool
  /// brought. No symbolic links.
  package static func unknown(
    in folder: MaildirFolder, known: [NameHash], _ body: (MessageFile) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    for subdirectory in Subdirectory.allCases {
      try MessageNames.forEach(in: folder.directory(of: subdirectory)) {
        name, cut, isLink throws(MaildirError) in
        if isLink { return }
        let hash = NameHash(of: UnsafeRawBufferPointer(rebasing: name[..<cut]))
        if known.holds(hash) { return }
        try body(MessageFile(subdirectory: subdirectory, name: Array(name)))
      }
    }
  }
}
