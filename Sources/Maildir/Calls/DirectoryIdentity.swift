/// Which directory it is, whatever its path.
package struct DirectoryIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
}

extension Directory {
  package var identity: DirectoryIdentity {
    get throws(MaildirError) {
      let facts = try facts()
      return DirectoryIdentity(device: facts.device, inode: facts.inode)
    }
  }
}
