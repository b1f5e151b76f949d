/// Where each key of a TOML document stands: the line numbers that the TOML library keeps to itself.
///
/// Reads only documents that the library has accepted, so it needs no errors: on anything unexpected it skips the line.
/// Keys inside of inline tables are found too. A path that was not found answers with its nearest known parent.
struct KeyLocations {
  private(set) var lines: [[String]: Int] = [:]
  /// Every path once, in the order of the file.
  private(set) var order: [[String]] = []
  /// The first mistake at which the library would abort the process instead of throwing (assertions of toml++ 3.4.0
  /// in `parse_key` and `parse_value`): it must not get to see it. All before that place is read as the library does.
  private(set) var fatalMistake: (line: Int, words: String)?

  init(_ bytes: [UInt8]) {
    var scanner = TOMLScanner(bytes)
    var table: [String] = []
    while let statement = scanner.next(foundKey: { note(table + $0, $1) }) {
      guard statement.isHeader else { continue }
      table = statement.path
      note(table, statement.lines.lowerBound)
    }
    fatalMistake = scanner.mistake
  }

  /// The line of the key at `path`, else of the closest table around it.
  func line(of path: [String]) -> Int? {
    var path = path
    while !path.isEmpty {
      if let line = lines[path] { return line }
      path.removeLast()
    }
    return nil
  }

  /// Children of `path`, in the order of the file.
  func children(of path: [String]) -> [String] {
    order.filter { $0.count == path.count + 1 && $0.starts(with: path) }.compactMap(\.last)
  }

  /// Dotted keys and headers name the tables above them, too.
  private mutating func note(_ path: [String], _ line: Int) {
    for length in path.indices.map({ $0 + 1 }) {
      let prefix = Array(path[..<length])
      guard lines[prefix] == nil else { continue }
      lines[prefix] = line
      order.append(prefix)
    }
  }
}
