/// Which directory it is, whatever its path.
package struct DirectoryIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  /// Another's, that has the inode after this one is gone, is a later one; 0 where the file system keeps none.
  let birthTime: Int64
}

extension Directory {
  package var identity: DirectoryIdentity {
    get throws(MaildirError) {
      let facts = try facts()
      return DirectoryIdentity(
        device: facts.device, inode: facts.inode, birthTime: birthTime)
    }
  }
}
