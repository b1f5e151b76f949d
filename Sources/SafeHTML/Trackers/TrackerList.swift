/// Services that count who opens a mail, told by the addresses of their images.
///
/// One pattern a line, `#` begins a comment: `host`, or `host/path`, where `*` is anything. A host means those
/// below it, too. A line that begins with `/` is a path on any host.
package struct TrackerList: Sendable {
  private var hosts: [String: [[String]?]] = [:]
  private var paths: [[String]] = []

  /// Names no service.
  package static let none = TrackerList("")

  package init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      let pattern = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }.lowercased()
      guard let slash = pattern.firstIndex(of: "/") else {
        if !pattern.isEmpty { hosts[pattern, default: []].append(nil) }
        continue
      }
      let pieces = pattern[slash...].split(separator: "*", omittingEmptySubsequences: false)
        .map(String.init)
      if slash == pattern.startIndex {
        paths.append(pieces)
      } else {
        hosts[String(pattern[..<slash]), default: []].append(pieces)
      }
    }
  }

  package func contains(_ address: WebAddress) -> Bool {
    if hosts.isEmpty, paths.isEmpty { return false }
    guard let host = address.host else { return false }
    let path = address.path.lowercased()
    var name = host[...]
    while true {
      if let patterns = hosts[String(name)],
        patterns.contains(where: { $0.map { Self.matches(path, $0) } ?? true })
      {
        return true
      }
      guard let dot = name.firstIndex(of: ".") else { break }
      name = name[name.index(after: dot)...]
    }
    return paths.contains { Self.matches(path, $0) }
  }

  /// The first piece is at the beginning, the others follow in their order.
  private static func matches(_ path: String, _ pieces: [String]) -> Bool {
    guard let first = pieces.first, path.hasPrefix(first) else { return false }
    var rest = path.dropFirst(first.count)
    for piece in pieces.dropFirst() where !piece.isEmpty {
      guard let found = rest.firstRange(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }
}
