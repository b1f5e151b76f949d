extension MaildirFolder {
  /// Whether two files are two, and hold the same bytes with the same date, as a copy to another file system does.
  package func holdsSame(_ file: MessageFile, as other: MessageFile, in folder: MaildirFolder)
    throws(MaildirError) -> Bool
  {
    let one = try MessageSource.open(file, in: self)
    let two = try MessageSource.open(other, in: folder)
    guard one.facts.size == two.facts.size, one.facts.modified == two.facts.modified,
      one.facts.device != two.facts.device || one.facts.inode != two.facts.inode
    else { return false }
    var isSame = true
    // In step: each block of the one is read of the other, too.
    try two.descriptor.rewind(to: 0, path: two.path)
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: CopyBlocks.blockSize, alignment: 64)
    defer { block.deallocate() }
    try one.blocks(from: 0) { bytes throws(MaildirError) in
      let wanted = UnsafeMutableRawBufferPointer(rebasing: block[..<bytes.count])
      let count = try two.descriptor.read(into: wanted, path: two.path)
      if count != bytes.count || !bytes.elementsEqual(wanted) { isSame = false }
    }
    return isSame
  }
}
