import MailCore

/// The name in `tmp/` of a message file that is put aside: a ``TemporaryName``, and what whoever finds it must know to
/// unlink it or bring it back after its run was killed: `<owner>.aside.<c|n>.<own inode>.<size>.<mtime>.<name>`.
package struct AsideName: Equatable {
  package var owner: TemporaryName
  /// Where it was, and as what.
  package var subdirectory: Subdirectory
  package var name: [UInt8]
  /// Of the file that lies under this name until it is exchanged: one of ours, whose loss is none. 0 for none.
  package var ownInode: UInt64
  /// The message's, when it was read.
  package var size: UInt64
  package var modified: Int64

  package init(_ file: MessageFile, seen: FileFacts, ownInode: UInt64 = 0) {
    owner = .own()
    subdirectory = file.subdirectory
    name = file.name
    self.ownInode = ownInode
    size = seen.size
    modified = seen.modified
    guard bytes.count > FolderLayout.longestComponent else { return }
    // Another name is better than none.
    var short = file.fileName
    short.base = []
    short.base.appendHex(XXH3.hash(file.base))
    name = short.bytes(separator: .colon)
  }

  package var bytes: [UInt8] {
    var bytes = owner.bytes
    bytes += Self.mark
    bytes.append(subdirectory == .cur ? Self.cur : Self.new)
    for number in [ownInode, size, UInt64(bitPattern: modified)] {
      bytes.append(Self.dot)
      bytes.appendHex(number)
    }
    bytes.append(Self.dot)
    return bytes + name
  }

  /// Nil for any other name.
  package init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    guard let owner = TemporaryName(startOf: &rest), rest.starts(with: Self.mark) else {
      return nil
    }
    rest.removeFirst(Self.mark.count)
    guard let subdirectory = rest.popFirst(), [Self.cur, Self.new].contains(subdirectory),
      rest.take(Self.dot), let inode = rest.takeHex64(), rest.take(Self.dot),
      let size = rest.takeHex64(), rest.take(Self.dot), let modified = rest.takeHex64(),
      rest.take(Self.dot), !rest.isEmpty
    else { return nil }
    self.owner = owner
    self.subdirectory = subdirectory == Self.cur ? .cur : .new
    name = Array(rest)
    ownInode = inode
    self.size = size
    self.modified = Int64(bitPattern: modified)
  }

  /// Whether the file under this name holds what was read, or is ours.
  func isSettled(by facts: FileFacts) -> Bool {
    ownInode != 0 && facts.inode == ownInode || facts.size == size && facts.modified == modified
  }

  private static let mark = Array(".aside.".utf8)
  private static let dot = UInt8(ascii: ".")
  private static let cur = UInt8(ascii: "c")
  private static let new = UInt8(ascii: "n")
}
