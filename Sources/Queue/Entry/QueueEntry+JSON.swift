extension QueueEntry {
  /// The recipients as `outbox --format json` and the view `send_queue` show them: an array of
  /// objects with `address`, `state` and `reply`.
  package var recipientsJSON: String {
    var json = "["
    for (index, result) in phase.recipients.enumerated() {
      guard let address = envelope?.recipients[index] else { break }
      if index > 0 { json += "," }
      json += "{\"address\":\(Self.quoted(address)),\"state\":\"\(result.state.publicWord)\","
      json += "\"reply\":\(result.reply.map(Self.quoted) ?? "null")}"
    }
    return json + "]"
  }

  private static func quoted(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\u{0}"..<"\u{20}", "\u{7F}":
        let hex = String(scalar.value, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}

extension RecipientState {
  /// `offered` is a matter of the wire: everybody else sees that it is being sent.
  package var publicWord: String { self == .offered ? QueueState.sending.rawValue : rawValue }
}
