extension ConfigurationText {
  /// Takes an account's tables out, with the comments above them.
  ///
  /// - Returns: false where the account is not written in tables with headers; the text is as it was.
  package mutating func remove(account name: String) -> Bool {
    guard canReplace(account: name) else { return false }
    var outline = ConfigurationOutline(bytes)
    outline.tables.removeAll { $0.path.starts(with: ["accounts", name]) }
    bytes = outline.bytes
    return true
  }
}
