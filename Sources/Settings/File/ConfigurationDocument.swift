import MailCore
import TOMLKit

/// A configuration file, read and parsed: the values, and where each stands.
struct ConfigurationDocument {
  let path: String
  let root: [String: ConfigurationNode]
  let locations: KeyLocations
  /// Permission bits, for the check of who else can read it.
  let mode: UInt32

  /// Far above any real configuration; a wrong --config must not be read whole.
  private static let sizeLimit = 1 << 20

  init(path: String) throws(SettingsError) {
    let file = try PrivateFile(path: path, limit: Self.sizeLimit)
    try self.init(path: path, bytes: file.bytes, mode: file.mode)
  }

  init(path: String, bytes: [UInt8], mode: UInt32) throws(SettingsError) {
    self.path = path
    self.mode = mode
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .syntax(ConfigurationPlace(file: path), words: "the text is not UTF-8")
    }
    try Self.refuseNull(in: text, path: path)
    locations = KeyLocations(bytes)
    if let (line, words) = locations.fatalMistake {
      throw .syntax(ConfigurationPlace(file: path, line: line), words: words)
    }
    do {
      let table = try TOMLTable(string: text)
      root = try withExtendedLifetime(table) { try ConfigurationNode.entries(table) }
    } catch let error as TOMLParseError {
      throw Self.syntaxError(error, path: path, text: text)
    } catch let twins as TwinKeys {
      let path = locations.order.first { $0.last == twins.key } ?? []
      let place = ConfigurationPlace(file: self.path, line: locations.line(of: path))
      throw .badValue(
        place, key: twins.key, problem: "stands here twice, in two Unicode forms",
        remedy: "Rename one of the two.")
    } catch {
      throw .syntax(ConfigurationPlace(file: path), words: "\(type(of: error))")
    }
  }

  /// The library ends a text at its first NUL: what stands behind it would be lost without a word.
  private static func refuseNull(in text: String, path: String) throws(SettingsError) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard
      let index = lines.firstIndex(where: { line in
        line.utf8.contains(0) || line.contains("\\u0000") || line.contains("\\U00000000")
      })
    else { return }
    throw .syntax(
      ConfigurationPlace(file: path, line: index + 1), words: "a NUL character stands in it")
  }

  func place(of keyPath: [String]) -> ConfigurationPlace {
    ConfigurationPlace(file: path, line: locations.line(of: keyPath))
  }

  /// The library quotes what it saw. That may be a password without its quotes, so its quotation is cut off,
  /// and where the line speaks of secrets only the place is told.
  private static func syntaxError(_ error: TOMLParseError, path: String, text: String)
    -> SettingsError
  {
    let number = error.source.begin.line
    let place = ConfigurationPlace(file: path, line: number > 0 ? number : nil)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = lines.indices.contains(number - 1) ? lines[number - 1].lowercased() : ""
    if ["pass", "secret", "token"].contains(where: { line.contains($0) }) {
      return .syntax(place, words: "the value of this line is not well-formed")
    }
    var words = error.description
    for mark in [", saw", "; saw", " saw '"] {
      if let range = words.firstRange(of: mark) { words = String(words[..<range.lowerBound]) }
    }
    return .syntax(place, words: words)
  }
}
