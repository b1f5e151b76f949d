import MailCore

/// Brings a header into the form that survives servers, readers and tools, and hashes it.
///
/// Fields are unfolded, names lowered, every run of white space becomes one space, ends are trimmed
/// ("relaxed" as in RFC 6376 §3.4.2), and what ``FieldKind`` calls added or label is left out.
/// Takes whole lines, or pieces of very long ones; owns 8 KiB whatever the header's size.
struct CanonicalHeader: ~Copyable {
  private let stream = XXH3.Stream()
  private let output: UnsafeMutableRawBufferPointer
  private var filled = 0
  private var flushed = false
  /// Whether white space that comes next is to be dropped: a blank, or the value's start, stands
  /// before it.
  private var absorbsBlanks = true
  private var field: FieldKind?
  private var label: [UInt8] = []
  private let labelName: [UInt8]
  /// Values of label fields, in order, each bounded.
  private(set) var labels: [[UInt8]] = []

  static let longestLabel = 64 * 1024

  /// - Parameter labelName: the tree's keywords header in lower case.
  init(labelName: [UInt8]) {
    self.labelName = labelName
    output = .allocate(byteCount: 8192, alignment: 64)
  }

  deinit { output.deallocate() }

  mutating func reset() {
    if flushed { stream.reset() }
    filled = 0
    flushed = false
    field = nil
    label = []
    labels = []
  }

  /// One line without its LF, or a piece of one that is longer than the caller's buffer.
  mutating func feed(_ piece: UnsafeRawBufferPointer, startsLine: Bool) {
    guard startsLine else {
      append(value: piece)
      return
    }
    if let first = piece.first, first == ASCII.space || first == ASCII.tab, field != nil {
      append(value: piece)
      return
    }
    endField()
    absorbsBlanks = true
    guard let colon = Self.colon(in: piece) else {
      // Not a field ("From " lines, garbage): part of the identity as it stands.
      field = .own
      append(value: piece)
      return
    }
    var nameEnd = colon
    while nameEnd > 0, ASCII.isBlank(piece[nameEnd - 1]) { nameEnd -= 1 }
    let name = UnsafeRawBufferPointer(rebasing: piece[..<nameEnd])
    let kind = FieldKind.of(name, labelName: labelName)
    field = kind
    if kind == .own { append(name: name) }
    append(value: UnsafeRawBufferPointer(rebasing: piece[(colon + 1)...]))
  }

  /// Ends the header and tells its hash.
  mutating func finish() -> HeaderHash {
    endField()
    guard flushed else {
      return HeaderHash(XXH3.hash(UnsafeRawBufferPointer(rebasing: output[..<filled])))
    }
    flush(keeping: 0)
    return HeaderHash(stream.value)
  }

  /// A field name ends at the first colon, if nothing but printable ASCII stands before it.
  private static func colon(in line: UnsafeRawBufferPointer) -> Int? {
    var place = 0
    while place < min(line.count, 1024) {
      let byte = line[place]
      if byte == UInt8(ascii: ":") { return place > 0 ? place : nil }
      if byte <= 0x20 || byte >= 0x7F {
        // White space is allowed only right before the colon.
        guard byte == ASCII.space || byte == ASCII.tab else { return nil }
        var next = place
        while next < line.count, next - place < 16,
          line[next] == ASCII.space || line[next] == ASCII.tab
        {
          next += 1
        }
        return place > 0 && next < line.count && line[next] == UInt8(ascii: ":") ? next : nil
      }
      place += 1
    }
    return nil
  }

  private mutating func append(name: UnsafeRawBufferPointer) {
    if filled + name.count + 1 > output.count { flush(keeping: 0) }
    for byte in name {
      output[filled] = ASCII.lowered(byte)
      filled += 1
    }
    output[filled] = UInt8(ascii: ":")
    filled += 1
  }

  private mutating func append(value: UnsafeRawBufferPointer) {
    switch field {
    case .own: appendCollapsed(value)
    case .label:
      label.append(contentsOf: value.prefix(Self.longestLabel - label.count))
    case .added, nil: break
    }
  }

  /// A space at the end of the output may yet turn out to be the field's end, so it is held back
  /// from every flush.
  private mutating func appendCollapsed(_ value: UnsafeRawBufferPointer) {
    var rest = value
    while !rest.isEmpty {
      if filled + 64 > output.count { flush(keeping: 1) }
      let count = min(rest.count, output.count - filled)
      guard let from = rest.baseAddress?.assumingMemoryBound(to: UInt8.self),
        let to = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      else { return }
      var place = filled
      var afterBlank = absorbsBlanks
      var index = 0
      while index < count {
        if index + 8 <= count {
          let word = UnsafeRawPointer(from + index).loadUnaligned(as: UInt64.self)
          if let endsBlank = Self.isPlain(word, afterBlank: afterBlank) {
            UnsafeMutableRawPointer(to + place).storeBytes(of: word, as: UInt64.self)
            place += 8
            index += 8
            afterBlank = endsBlank
            continue
          }
        }
        // As far as the end of what changes, or of all.
        let end = min(count, index + 8)
        while index < end {
          let byte = from[index]
          let isBlank = ASCII.isBlank(byte)
          to[place] = isBlank ? ASCII.space : byte
          place += isBlank && afterBlank ? 0 : 1
          afterBlank = isBlank
          index += 1
        }
      }
      filled = place
      absorbsBlanks = afterBlank
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Whether eight bytes stay as they are: single spaces are all that is blank in them.
  ///
  /// - Returns: whether the last one is a space; nil where something changes.
  private static func isPlain(_ bytes: UInt64, afterBlank: Bool) -> Bool? {
    let word = UInt64(littleEndian: bytes)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops = ones << 7
    // The top bit of each byte below 0x20, tabs and line ends among them; perhaps of a 0x20 after one.
    guard (word &- ones * 0x20) & ~word & tops == 0 else { return nil }
    let difference = word ^ (ones * 0x20)
    let spaces = ~(((difference & ~tops) + ~tops) | difference) & tops
    guard spaces & (spaces << 8 | (afterBlank ? 0x80 : 0)) == 0 else { return nil }
    return spaces >> 63 == 1
  }

  private mutating func endField() {
    guard let ended = field else { return }
    field = nil
    switch ended {
    case .own:
      if filled > 0, output[filled - 1] == ASCII.space { filled -= 1 }
      if filled == output.count { flush(keeping: 0) }
      output[filled] = ASCII.lf
      filled += 1
    case .label:
      labels.append(label)
      label = []
    case .added: break
    }
  }

  private mutating func flush(keeping kept: Int) {
    let kept = min(kept, filled)
    stream.feed(UnsafeRawBufferPointer(rebasing: output[..<(filled - kept)]))
    flushed = true
    if kept == 1 { output[0] = output[filled - 1] }
    filled = kept
  }
}
