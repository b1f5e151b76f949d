/// `%41` and its like (RFC 3986 §2.1).
package enum PercentEncoding {
  package static func decode(_ bytes: some Collection<UInt8>) -> String {
    let input = Array(bytes)
    var output: [UInt8] = []
    var place = 0
    while place < input.count {
      if input[place] == ASCII.percent, place + 2 < input.count,
        let high = ASCII.hexValue(input[place + 1]), let low = ASCII.hexValue(input[place + 2])
      {
        output.append(high << 4 | low)
        place += 3
      } else {
        output.append(input[place])
        place += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
