import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension AccountTree {
  /// Names of directories that hold no mail.
  static let passedOver: Set<String> = [controlName, ".notmuch", ".nnmaildir"]
  /// No mail tree is deeper; a loop of symbolic links would be.
  private static let deepest = 40

  /// Every whole Maildir of the account, sorted by path, the account itself included when it is
  /// one.
  ///
  /// Directories with a `.noindex` file are passed over, with all that is below.
  package func folders(_ style: LayoutStyle) throws(MaildirError) -> [FolderPath] {
    let failed: Failed = { _, error throws(MaildirError) in throw error }
    return try listing(style, failed: failed, unnamed: { _ in })
  }

  /// The same where what cannot be looked into is no reason to give up all.
  ///
  /// - Returns: also the directories that may hold Maildirs, and cannot be read; and, for people,
  ///   those that hold mail and have names that are no UTF-8.
  package func readableFolders(_ style: LayoutStyle) throws(MaildirError) -> (
    folders: [FolderPath], unread: [FolderPath], unnamed: [String]
  ) {
    var unread: [FolderPath] = []
    var unnamed: [String] = []
    let folders = try listing(style) { path, error throws(MaildirError) in
      if error.stopsRun { throw error }
      unread.append(FolderPath(unchecked: path))
    } unnamed: {
      unnamed.append($0.joined(separator: "/"))
    }
    return (folders, unread.sorted { $0.text < $1.text }, unnamed.sorted())
  }

  private typealias Failed = ([String], MaildirError) throws(MaildirError) -> Void

  private func listing(
    _ style: LayoutStyle, failed: Failed, unnamed: ([String]) -> Void
  ) throws(MaildirError) -> [FolderPath] {
    var found: [FolderPath] = []
    if try Self.isMaildir(directory) { found.append(.account) }
    switch style {
    case .maildirPlusPlus:
      let names = try Self.subdirectories(of: directory) { unnamed([$0]) }
      for name in names where name.hasPrefix(".") {
        if Self.passedOver.contains(name) { continue }
        do throws(MaildirError) {
          guard let child = try directory.directory(name), try Self.isMaildir(child) else {
            continue
          }
          found.append(FolderPath(unchecked: [name]))
        } catch {
          try failed([name], error)
        }
      }
    case .nested: try collect(below: directory, [], into: &found, failed, unnamed)
    }
    return found.sorted { $0.text < $1.text }
  }

  private func collect(
    below parent: Directory, _ components: [String], into found: inout [FolderPath],
    _ failed: Failed, _ unnamed: ([String]) -> Void
  ) throws(MaildirError) {
    guard components.count < Self.deepest else { return }
    for name in try Self.subdirectories(of: parent, unnamed: { unnamed(components + [$0]) }) {
      if name.hasPrefix(".") || ["tmp", "new", "cur"].contains(name) { continue }
      let path = components + [name]
      do throws(MaildirError) {
        guard let child = try parent.directory(name), try child.facts(Self.noIndexName) == nil
        else { continue }
        if try Self.isMaildir(child) { found.append(FolderPath(unchecked: path)) }
        try collect(below: child, path, into: &found, failed, unnamed)
      } catch {
        try failed(path, error)
      }
    }
  }

  static func isMaildir(_ directory: Directory) throws(MaildirError) -> Bool {
    for name in ["cur", "new", "tmp"] {
      guard let facts = try directory.facts(name), facts.isDirectory else { return false }
    }
    return true
  }

  /// - Parameter unnamed: gets those that hold mail and cannot be mailboxes, their names being no
  ///   UTF-8.
  private static func subdirectories(of directory: Directory, unnamed: (String) -> Void)
    throws(MaildirError) -> [String]
  {
    var names: [String] = []
    var others: [[UInt8]] = []
    try DirectoryNames.forEach(in: directory) { bytes, kind in
      if kind == .file { return }
      if let name = String(validating: bytes, as: UTF8.self) {
        names.append(name)
      } else {
        others.append(Array(bytes))
      }
    }
    for name in others where MailHolder.holdsMail(name, of: directory) {
      unnamed(name.escapedForPeople)
    }
    return names.sorted()
  }
}
