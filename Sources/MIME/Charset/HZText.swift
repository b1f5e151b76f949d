/// HZ-GB-2312 (RFC 1843): Chinese between `~{` and `~}`, undone to the 8-bit form that iconv reads.
enum HZText {
  static func append(
    _ bytes: UnsafeRawBufferPointer, charset: Charset, into text: inout [UInt8]
  ) -> Bool {
    var gb: [UInt8] = []
    gb.reserveCapacity(bytes.count)
    var isChinese = false
    var index = 0
    let tilde = UInt8(ascii: "~")
    while index < bytes.count {
      let byte = bytes[index]
      if byte == tilde, index + 1 < bytes.count {
        let next = bytes[index + 1]
        index += 2
        switch next {
        case UInt8(ascii: "{"): isChinese = true
        case UInt8(ascii: "}"): isChinese = false
        case UInt8(ascii: "\n"): break  // a line continued
        case tilde: gb.append(tilde)
        default:
          index -= 1
          gb.append(tilde)
        }
        continue
      }
      if byte == UInt8(ascii: "\n") { isChinese = false }
      gb.append(isChinese && byte > 0x20 ? byte | 0x80 : byte)
      index += 1
    }
    return gb.withUnsafeBytes { Iconv.append($0, from: charset.iconvNames, into: &text) }
  }
}
