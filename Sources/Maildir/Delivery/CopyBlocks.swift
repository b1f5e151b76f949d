/// Reads a file block by block, with its own line ends or with CRLF for every LF.
enum CopyBlocks {
  static let blockSize = 128 * 1024

  /// - Parameter limit: at most so many bytes of the file.
  static func run(
    from file: borrowing Descriptor, path: String, limit: Int = .max, endings: LineEndings = .lf,
    _ body: (UnsafeRawBufferPointer) throws(MaildirError) -> Void
  ) throws(MaildirError) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 64)
    defer { block.deallocate() }
    let twice = UnsafeMutableRawBufferPointer.allocate(
      byteCount: endings == .crlf ? 2 * blockSize : 1, alignment: 64)
    defer { twice.deallocate() }
    var left = limit
    while left > 0 {
      let wanted = UnsafeMutableRawBufferPointer(rebasing: block[..<min(left, blockSize)])
      let count = try file.read(into: wanted, path: path)
      if count == 0 { return }
      left -= count
      let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
      guard endings == .crlf, let output = twice.baseAddress else {
        try body(bytes)
        continue
      }
      let written = LineConverter.toCRLF(bytes, into: output)
      try body(UnsafeRawBufferPointer(rebasing: twice[..<written]))
    }
  }
}
