/// A folder's place below the account's directory. No components: the account's directory itself
/// (INBOX under Maildir++). Every component is a single name, so the path cannot lead outside.
package struct FolderPath: Hashable, Sendable, CustomStringConvertible {
  package let components: [String]

  package static let account = FolderPath(unchecked: [])

  /// - Parameter components: each is known to be a single name.
  package init(unchecked components: [String]) { self.components = components }

  /// Nil when a component is empty, `.`, `..`, or holds `/` or NUL.
  package init?(components: [String]) {
    guard components.allSatisfy(Self.isSafe) else { return nil }
    self.components = components
  }

  /// From the form with slashes, as the state keeps it.
  package init?(text: String) {
    if text.isEmpty {
      self = .account
    } else {
      self.init(
        components: text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
          .map { String(Substring($0)) })
    }
  }

  /// Whether it is this one or lies below.
  package func isInside(_ other: FolderPath) -> Bool {
    FolderPath(unchecked: Array(components.prefix(other.components.count))) == other
  }

  #if os(Linux)
    // é as one character and as e with an accent are two directories here, and one to Swift's strings.
    package static func == (one: FolderPath, other: FolderPath) -> Bool {
      one.components.elementsEqual(other.components) { $0.utf8.elementsEqual($1.utf8) }
    }

    package func hash(into hasher: inout Hasher) {
      for component in components {
        for byte in component.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(ascii: "/"))
      }
    }
  #endif

  /// Where it lies once `old`, which is this one or a directory above it, is at `new`; nil for all others.
  package func moved(from old: FolderPath, to new: FolderPath) -> FolderPath? {
    guard isInside(old) else { return nil }
    return FolderPath(unchecked: new.components + components.dropFirst(old.components.count))
  }

  /// Components joined by slashes.
  package var text: String { components.joined(separator: "/") }
  package var description: String { text }

  /// The same, below the root of the account's tree.
  package func text(in account: String) -> String {
    components.isEmpty ? account : account + "/" + text
  }

  private static func isSafe(_ component: String) -> Bool {
    !component.isEmpty && component != "." && component != ".."
      && !component.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}

/// As text: what cannot be one is damage, and leads nowhere.
extension FolderPath: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let path = FolderPath(text: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a folder called “\(text.visible)”")
    }
    self = path
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
