import MailCore

/// Mailbox names to directories and back.
///
/// What a directory's name cannot carry is percent-encoded, so every name can be read back, and no
/// name leads outside the account. Nested: one directory a level. Maildir++: one directory, levels
/// joined by dots behind a leading dot; INBOX is the account's own directory.
package struct FolderLayout: Sendable, Hashable {
  package let style: LayoutStyle
  package let traits: FileSystemTraits
  /// Also encode what Windows file systems refuse; the choice of a separator other than the colon
  /// implies it.
  package let escapesForWindows: Bool

  package init(
    style: LayoutStyle, traits: FileSystemTraits = FileSystemTraits(),
    separator: InfoSeparator = .colon
  ) {
    self.style = style
    self.traits = traits
    escapesForWindows = separator != .colon
  }

  /// File systems end names at 255 bytes.
  static let longestComponent = 255
  /// Mail readers end paths at 4096 bytes, the tree's root included; deeper names are flattened.
  static let longestPath = 1024
  static let deepestPath = 32

  /// The directory for a mailbox.
  ///
  /// - Parameter twin: spell it so that no file system takes it for the plain form of another name.
  package func path(of mailbox: MailboxName, twin: Bool = false) -> FolderPath {
    if style == .maildirPlusPlus, mailbox.isInbox { return .account }
    let levels = mailbox.levels.enumerated().map { place, level in
      LevelName.encode(level, place: place, layout: self, twin: twin)
    }
    let components =
      style == .nested ? levels : ["." + levels.joined(separator: ".")]
    let length = components.reduce(0) { $0 + $1.utf8.count + 1 }
    if length <= Self.longestPath, components.count <= Self.deepestPath,
      components.allSatisfy({ $0.utf8.count <= Self.longestComponent })
    {
      return FolderPath(unchecked: components)
    }
    return FolderPath(unchecked: [shortened(mailbox)])
  }

  /// Whether the directory tells only the start of the name, so that a file in it must hold the
  /// rest.
  package func needsSideName(_ path: FolderPath) -> Bool {
    guard path.components.count == 1 else { return false }
    let name = Array(path.components[0].utf8)
    let mark = Array(Self.hashMark.utf8)
    guard name.count > mark.count + 16, name[..<(name.count - 16)].suffix(mark.count) == mark[...]
    else { return false }
    var digits = name.suffix(16)
    return digits.takeHex64() != nil
  }

  /// The mailbox that a directory stands for, its levels joined by the server's delimiter.
  ///
  /// Directories that somebody made by hand have names too: what this layout never writes is taken
  /// as it stands, so the mailbox may have another path than this; the state remembers which
  /// directory a mailbox has.
  /// - Parameter sideName: ``MaildirFolder/sideName``. Nil is returned where it is needed and
  ///   missing.
  package func mailbox(at path: FolderPath, delimiter: Character?, sideName: String? = nil)
    -> MailboxName?
  {
    if needsSideName(path) { return sideName.map { MailboxName($0, delimiter: delimiter) } }
    let levels: [String]
    switch style {
    case .nested:
      if path.components.isEmpty { return nil }
      levels = path.components.enumerated().map { place, name in
        LevelName.decode(name, place: place, style: style)
      }
    case .maildirPlusPlus:
      guard let component = path.components.first else {
        return MailboxName("INBOX", delimiter: delimiter)
      }
      guard path.components.count == 1, component.hasPrefix("."), component != "." else {
        return nil
      }
      levels = component.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        .enumerated()
        .map { place, name in LevelName.decode(String(name), place: place, style: style) }
    }
    let text = levels.joined(separator: delimiter.map(String.init) ?? "/")
    return MailboxName(text, delimiter: delimiter)
  }

  /// What a directory is called that looks as if it needed a side file, and has none: somebody gave it that name.
  package func literalName(_ path: FolderPath, delimiter: Character?) -> MailboxName? {
    guard let component = path.components.first, path.components.count == 1 else { return nil }
    let separator = delimiter.map(String.init) ?? "/"
    let name =
      style == .nested ? component : String(component.dropFirst()).replacing(".", with: separator)
    return MailboxName(name, delimiter: delimiter)
  }

  /// In no encoded level a `%` stands before anything but two hex digits or this.
  static let hashMark = "%~"

  /// The start of the name, and the hash of all of it, as one top-level directory.
  private func shortened(_ mailbox: MailboxName) -> String {
    var start = ""
    for scalar in mailbox.text.unicodeScalars {
      let piece = LevelName.encode(String(scalar), place: 1, layout: self, twin: false)
      let safe = piece.replacing(".", with: "%2E")
      if start.utf8.count + safe.utf8.count > 180 { break }
      start += safe
    }
    var hash: [UInt8] = []
    hash.appendHex(XXH3.hash(mailbox.text))
    let name = start + Self.hashMark + String(decoding: hash, as: UTF8.self)
    return style == .nested ? name : "." + name
  }
}

extension AccountTree {
  /// Which directories mailboxes have in this tree.
  package func layout(_ policy: MaildirPolicy) throws(MaildirError) -> FolderLayout {
    FolderLayout(style: policy.layout, traits: try traits(), separator: policy.separator)
  }
}
