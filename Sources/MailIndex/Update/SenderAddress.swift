/// `message.sender_address`: most senders are `Name <address>`, or an address alone, and it is not kept twice.
struct SenderAddress {
  let sender: String
  let address: String

  init(_ message: ParsedMessage) { (sender, address) = (message.sender, message.senderAddress) }

  /// Nil where ``IndexSchema/senderAddress`` finds it in the sender.
  var kept: String? {
    let bytes = sender.utf8
    // SQLite counts no characters beyond a zero.
    guard !bytes.contains(0) else { return address }
    guard let start = bytes.firstIndex(of: UInt8(ascii: "<")) else {
      return address == sender ? nil : address
    }
    let inBrackets = bytes[bytes.index(after: start)...]
    return inBrackets.last == UInt8(ascii: ">") && inBrackets.dropLast().elementsEqual(address.utf8)
      ? nil : address
  }
}
