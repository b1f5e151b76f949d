/// Which commands a server may be sent, by what it announces (or by RFC 3501, which all have).
struct CommandCheck {
  private let capabilities: Set<String>

  init(_ capabilities: Set<String>) {
    self.capabilities = Set(capabilities.map { $0.uppercased() })
  }

  /// Those that the server does not announce, each once.
  func refusals(of commands: [String]) -> [String] {
    var found: [String] = []
    for command in commands {
      guard let reason = refusal(of: command.uppercased()),
        !found.contains(where: { $0.hasPrefix(reason) })
      else { continue }
      found.append("\(reason): \(command.prefix(120))")
    }
    return found
  }

  private func has(_ names: String...) -> Bool { !capabilities.isDisjoint(with: names) }

  private func refusal(of command: String) -> String? {
    let words = command.split(separator: " ")
    // Of a literal, or the answer to a challenge.
    guard words.count > 1, words[0].first == "A", words[0].dropFirst().allSatisfy(\.isNumber) else {
      return nil
    }
    var name = String(words[1])
    if name == "UID", words.count > 2 { name += " " + words[2] }
    let needed: [String: [String]] = [
      "UID MOVE": ["MOVE"], "UID EXPUNGE": ["UIDPLUS"], "ENABLE": ["ENABLE"], "IDLE": ["IDLE"],
      "NOTIFY": ["NOTIFY"], "COMPRESS": ["COMPRESS=DEFLATE"], "UNSELECT": ["UNSELECT"],
      "ID": ["ID"], "NAMESPACE": ["NAMESPACE"], "MYRIGHTS": ["ACL"],
    ]
    if let names = needed[name], capabilities.isDisjoint(with: names) { return name }
    if name == "LIST", command.contains(" RETURN (") {
      if !has("LIST-EXTENDED", "LIST-STATUS", "SPECIAL-USE") { return "LIST RETURN" }
      if command.contains("STATUS ("), !has("LIST-STATUS") { return "LIST-STATUS" }
    }
    if name.hasSuffix("SEARCH"), command.contains(" RETURN ("), !has("ESEARCH") { return "ESEARCH" }
    if command.contains("CONDSTORE") || command.contains("CHANGEDSINCE")
      || command.contains("UNCHANGEDSINCE") || command.contains("MODSEQ"),
      !has("CONDSTORE", "QRESYNC")
    {
      return "CONDSTORE"
    }
    if command.contains("QRESYNC"), !has("QRESYNC") { return "QRESYNC" }
    if command.contains("EMAILID") || command.contains("MAILBOXID"), !has("OBJECTID") {
      return "OBJECTID"
    }
    if command.hasSuffix("+}"), !has("LITERAL+", "LITERAL-") { return "LITERAL+" }
    return nil
  }
}
