/// A message made fit for a server without 8BITMIME (RFC 6152 §3). The queued bytes stay as they are.
package struct SevenBitCopy {
  package let spool: MessageSpool
  /// With CRLF for every LF.
  package let wireSize: UInt64

  /// - Parameter directory: where a large copy's file is made.
  /// - Throws: ``RecodingProblem`` where a part is signed, or the structure too broken;
  ///   ``AcceptanceError/spool(_:)`` where there is no room.
  package init(_ bytes: UnsafeRawBufferPointer, directory: String) throws {
    var (header, bodyStart) = RawHeader.parse(bytes)
    let recoding = try BodyRecoding(bytes, bodyStart: bodyStart, need: .sevenBit)
    if let encoding = recoding.rootEncoding {
      header.set(.init("Content-Transfer-Encoding", encoding))
      if !header.has("MIME-Version") { header.append(.init("MIME-Version", "1.0")) }
    }
    let spool = MessageSpool(directory: directory)
    try spool.append(header.bytes)
    var check = StreamScan()
    try recoding.write { piece in
      check.take(piece)
      try spool.append(piece)
    }
    guard !check.hasLongLines, !check.hasEightBit else { throw RecodingProblem.unclearStructure }
    self.spool = spool
    wireSize = try spool.withBytes { bytes in
      var lines: UInt64 = 0
      for byte in bytes { lines &+= byte == 0x0A ? 1 : 0 }
      return UInt64(bytes.count) + lines
    }
  }
}
