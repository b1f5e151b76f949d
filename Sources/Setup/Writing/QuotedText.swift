/// Texts as other programs' files have to spell them, so that they are taken for what they are.
enum QuotedText {
  /// One word for sh. A `~/` in front still means the home.
  static func shell(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || ("0"..."9").contains($0)
          || "_-+=:,./@%".unicodeScalars.contains($0)
      }
    if isPlain { return text }
    if text.hasPrefix("~/") {
      return text.count == 2 ? text : "~/" + shell(String(text.dropFirst(2)))
    }
    return "'" + text.replacing("'", with: "'\\''") + "'"
  }

  /// The same in double quotes, the home by its variable: for places where nothing expands `~`.
  static func shellInQuotes(_ path: String) -> String {
    let rest = path.hasPrefix("~/") ? path.dropFirst(1) : path[...]
    return "\"" + (path.hasPrefix("~/") ? "$HOME" : "") + escaped(rest, "\\\"$`") + "\""
  }

  /// The same for what is expanded once more by wordexp(3), as mu does.
  static func shellTwice(_ path: String) -> String {
    shell(escaped(path[...], " \\\"'$`|&;<>(){}*?[#"))
  }

  /// A string of neomutt, which would expand variables and run what stands in backquotes.
  static func neomutt(_ text: String) -> String { "\"" + escaped(text[...], "\\\"$`") + "\"" }

  static func lisp(_ text: String) -> String { "\"" + escaped(text[...], "\\\"") + "\"" }

  /// One word of a unit's command line (systemd.service(5)).
  static func systemd(_ text: String) -> String {
    let text = text.replacing("%", with: "%%").replacing("$", with: "$$")
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && !"\"'\\;".utf8.contains($0) }
    return isPlain && !text.isEmpty ? text : "\"" + escaped(text[...], "\\\"") + "\""
  }

  /// A value in aerc's files: a `#` or `;` would begin a comment, if it does not stand in backquotes.
  static func aerc(_ text: String) -> String {
    text.contains { "#;".contains($0) } && !text.contains("`") ? "`\(text)`" : text
  }

  /// What aerc takes for an address, be it a path or a command: these signs would end the path.
  static func address(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("#", with: "%23").replacing("?", with: "%3F")
  }

  /// The path of a `maildir://` address.
  static func addressPath(_ path: String) -> String {
    address(path).replacing(" ", with: "%20").replacing(";", with: "%3B")
      .replacing("\"", with: "%22")
  }

  /// A quoted-string, as an address has it (RFC 5322 §3.2.4).
  static func phrase(_ text: String) -> String { "\"" + escaped(text[...], "\\\"") + "\"" }

  private static func escaped(_ text: Substring, _ special: String) -> String {
    text.reduce(into: "") { result, character in
      if special.contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
