/// One part as a message of this part and nothing else, for the readers that know messages.
struct PartAsMessage {
  let content: [UInt8]
  let type: String
  let charset: String?

  var bytes: [UInt8] {
    let label = (charset ?? "").filter { $0.isASCII && !$0.isWhitespace && $0 != "\"" }
    var bytes = Array("Content-Type: \(type)".utf8)
    if !label.isEmpty { bytes += Array("; charset=\"\(label)\"".utf8) }
    return bytes + Array("\nContent-Transfer-Encoding: 8bit\n\n".utf8) + content
  }
}
