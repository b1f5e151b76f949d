/// A body as a signature saw it (RFC 6376 §3.4.3, §3.4.4), written piece by piece.
///
/// Line ends of either kind count as CR LF: the tree has LF.
struct BodyCanonicalisation {
  let isRelaxed: Bool

  func write(_ body: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) -> Void) {
    var out: [UInt8] = []
    out.reserveCapacity(1 << 16)
    var emptyLines = 0
    var isEmpty = true
    var place = 0
    while place < body.count {
      let feed = body[place...].firstIndex(of: 0x0A)
      var end = feed ?? body.count
      let next = feed.map { $0 + 1 } ?? body.count
      if feed != nil, end > place, body[end - 1] == 0x0D { end -= 1 }
      let start = out.count
      if emptyLines > 0 {
        for _ in 0..<emptyLines { out.append(contentsOf: [0x0D, 0x0A]) }
      }
      let content = out.count
      append(body, place..<end, to: &out)
      if out.count == content {
        out.removeSubrange(start...)
        emptyLines += 1
      } else {
        out.append(contentsOf: [0x0D, 0x0A])
        emptyLines = 0
        isEmpty = false
      }
      place = next
      if out.count > 60_000 {
        out.withUnsafeBytes(sink)
        out.removeAll(keepingCapacity: true)
      }
    }
    if isEmpty, !isRelaxed { out.append(contentsOf: [0x0D, 0x0A]) }
    if !out.isEmpty { out.withUnsafeBytes(sink) }
  }

  private func append(_ body: UnsafeRawBufferPointer, _ line: Range<Int>, to out: inout [UInt8]) {
    guard isRelaxed else { return out.append(contentsOf: body[line]) }
    var hasBlank = false
    for byte in body[line] {
      if byte == 0x20 || byte == 0x09 {
        hasBlank = true
      } else {
        if hasBlank { out.append(0x20) }
        hasBlank = false
        out.append(byte)
      }
    }
  }
}
