/// The names in `new` or `cur` that are messages.
enum MessageNames {
  /// Calls `body` with each name and the length of its base. Names with a leading dot, and
  /// directories, are none.
  static func forEach(
    in directory: Directory, _ body: (UnsafeRawBufferPointer, Int) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    try DirectoryNames.forEach(in: directory) { name, kind throws(MaildirError) in
      if kind == .directory || name[0] == UInt8(ascii: ".") { return }
      try body(name, MaildirFileName.baseLength(of: name))
    }
  }
}

extension FolderScan {
  /// A pass over the names themselves, in the directories' order.
  package static func forEachFile(
    in folder: MaildirFolder, _ body: (MessageFile) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    for subdirectory in Subdirectory.allCases {
      try MessageNames.forEach(in: folder.directory(of: subdirectory)) {
        name, _ throws(MaildirError) in
        try body(MessageFile(subdirectory: subdirectory, name: Array(name)))
      }
    }
  }

  /// The files whose base name's hash is not in `known` (ascending): what a reader or another tool
  /// brought.
  package static func unknown(
    in folder: MaildirFolder, known: [UInt64], _ body: (MessageFile) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    for subdirectory in Subdirectory.allCases {
      try MessageNames.forEach(in: folder.directory(of: subdirectory)) {
        name, cut throws(MaildirError) in
        let hash = XXH3.hash(UnsafeRawBufferPointer(rebasing: name[..<cut]))
        if known.holds(hash) { return }
        try body(MessageFile(subdirectory: subdirectory, name: Array(name)))
      }
    }
  }
}

extension [UInt64] {
  /// By halving; the array ascends.
  fileprivate func holds(_ value: UInt64) -> Bool {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == value
  }
}
