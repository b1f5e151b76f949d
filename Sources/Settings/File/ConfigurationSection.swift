import MailCore

/// One table of the document, with typed access to the keys it may have.
///
/// Unknown keys are refused at once, so a misspelt key never counts as absent.
struct ConfigurationSection {
  let document: ConfigurationDocument
  let path: [String]
  private let entries: [String: ConfigurationNode]

  /// - Parameter known: every key that the table may have, in the order that the error names them.
  init(
    _ entries: [String: ConfigurationNode], of document: ConfigurationDocument, at path: [String],
    known: [String]
  ) throws(SettingsError) {
    self.document = document
    self.path = path
    self.entries = entries
    let present = document.locations.children(of: path) + entries.keys.sorted()
    guard let stranger = present.first(where: { entries[$0] != nil && !known.contains($0) })
    else { return }
    throw .unknownKey(
      document.place(of: path + [stranger]), key: stranger,
      nearest: nearestWord(to: stranger, among: known), known: known)
  }

  func has(_ key: String) -> Bool { entries[key] != nil }
  func place(_ key: String) -> ConfigurationPlace { document.place(of: path + [key]) }

  func string(_ key: String) throws(SettingsError) -> String? {
    guard let node = entries[key] else { return nil }
    guard case .string(let text) = node else { throw wrongType(key, "a text", node) }
    return text
  }

  func integer(_ key: String, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
    guard let node = entries[key] else { return nil }
    guard case .integer(let number) = node else { throw wrongType(key, "a whole number", node) }
    guard range.contains(number) else {
      throw bad(
        key, "must lie between \(range.lowerBound) and \(range.upperBound)",
        "Write \(key) = \(min(max(number, range.lowerBound), range.upperBound)).")
    }
    return number
  }

  func boolean(_ key: String) throws(SettingsError) -> Bool? {
    guard let node = entries[key] else { return nil }
    guard case .boolean(let value) = node else { throw wrongType(key, "true or false", node) }
    return value
  }

  func strings(_ key: String) throws(SettingsError) -> [String]? {
    guard let node = entries[key] else { return nil }
    guard case .array(let nodes) = node else { throw wrongType(key, "a list of texts", node) }
    var texts: [String] = []
    for element in nodes {
      guard case .string(let text) = element else {
        throw .wrongType(
          place(key), key: key, expected: "a list of texts", found: "a list with \(element.kind)")
      }
      texts.append(text)
    }
    return texts
  }

  /// A text that must be the raw value of one of `Choice`'s cases.
  func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) throws(SettingsError)
    -> Choice? where Choice.RawValue == String
  {
    guard let text = try string(key) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    let hint = nearestWord(to: text, among: words).map { "Did you mean \"\($0)\"? " } ?? ""
    throw bad(
      key, "cannot be \"\(text)\"",
      hint + "One of: " + words.map { "\"\($0)\"" }.joined(separator: ", ") + ".")
  }

  func table(_ key: String) throws(SettingsError) -> [String: ConfigurationNode]? {
    guard let node = entries[key] else { return nil }
    guard case .table(let entries) = node else { throw wrongType(key, "a table", node) }
    return entries
  }

  func section(_ key: String, known: [String]) throws(SettingsError) -> ConfigurationSection? {
    guard let entries = try table(key) else { return nil }
    return try ConfigurationSection(entries, of: document, at: path + [key], known: known)
  }

  func bad(_ key: String, _ problem: String, _ remedy: String) -> SettingsError {
    .badValue(place(key), key: key, problem: problem, remedy: remedy)
  }

  func missing(_ key: String, _ remedy: String) -> SettingsError {
    .missingKey(document.place(of: path), key: key, remedy: remedy)
  }

  private func wrongType(_ key: String, _ expected: String, _ found: ConfigurationNode)
    -> SettingsError
  {
    let name = expected == "a table" ? (path + [key]).joined(separator: ".") : key
    return .wrongType(place(key), key: name, expected: expected, found: found.kind)
  }
}
