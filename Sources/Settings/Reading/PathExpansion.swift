#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Turns the paths of the configuration into absolute ones: `~`, `$NAME` and `${NAME}`.
struct PathExpansion {
  let environment: [String: String]

  enum Failure: Error, Equatable {
    case empty, relative, controlCharacter, otherUsersHome, noHome
    case unset(variable: String)
    case malformed

    /// Follows the key's name in an error text.
    var words: String {
      switch self {
      case .empty: "is empty"
      case .relative: "is not an absolute path"
      case .controlCharacter: "holds a control character"
      case .otherUsersHome: "names another user's home, which is not supported"
      case .noHome: "begins with ~, but there is no home directory"
      case .unset(let variable): "uses $\(variable), which is not set"
      case .malformed: "has a $ without a name after it"
      }
    }
  }

  var home: String? {
    if let home = environment["HOME"], home.hasPrefix("/") { return home }
    guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return nil }
    let home = String(cString: directory)
    return home.hasPrefix("/") ? home : nil
  }

  /// The absolute path, without a slash at its end.
  func absolute(_ text: String) throws(Failure) -> String {
    guard !text.isEmpty else { throw .empty }
    let path = try variables(try tilde(text))
    guard path.hasPrefix("/") else { throw .relative }
    guard !path.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw .controlCharacter
    }
    let trimmed = path.reversed().drop { $0 == "/" }.reversed()
    return trimmed.isEmpty ? "/" : String(trimmed)
  }

  func tilde(_ text: String) throws(Failure) -> String {
    guard text.hasPrefix("~") else { return text }
    let rest = text.dropFirst()
    guard rest.isEmpty || rest.hasPrefix("/") else { throw .otherUsersHome }
    guard let home else { throw .noHome }
    return home + rest
  }

  private func variables(_ text: String) throws(Failure) -> String {
    var result = ""
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[rest.index(after: dollar)...]
      let name = try takeName(&rest)
      guard let value = environment[name], !value.isEmpty else { throw .unset(variable: name) }
      result += value
    }
    return result + rest
  }

  private func takeName(_ rest: inout Substring) throws(Failure) -> String {
    if rest.hasPrefix("{") {
      guard let end = rest.firstIndex(of: "}") else { throw .malformed }
      let name = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
      guard !name.isEmpty else { throw .malformed }
      return name
    }
    let name = rest.prefix { $0 == "_" || ($0.isASCII && ($0.isLetter || $0.isNumber)) }
    guard !name.isEmpty else { throw .malformed }
    rest = rest[name.endIndex...]
    return String(name)
  }
}
