import Foundation
import Maildir

/// The files that steps may mean, wherever they lie now: each folder is read once.
struct TreeFiles {
  struct Entry: Sendable {
    var file: MessageFile
    var identity: FileIdentity

    /// Whether it is called so, however often its keywords line was written since.
    func isNamed(_ base: Data) -> Bool {
      file.base == [UInt8](base) || RewrittenName([UInt8](base)).isEarlier(than: file.base)
    }
  }

  private let tree: SortingTree
  private let identities: Set<FileIdentity>
  private let inodes: Set<UInt64>
  /// Before any rewrite.
  private let names: Set<[UInt8]>
  private var read: [String: [Entry]] = [:]

  init(_ tree: SortingTree, for steps: [SortingStep]) {
    self.tree = tree
    identities = Set(steps.compactMap(\.file))
    inodes = Set(identities.map(\.inode))
    names = Set(
      steps.flatMap { [$0.base, $0.doneAs] }.compactMap { $0.map { [UInt8]($0) } }
        .flatMap { [$0, NameHints.withoutForeignUID(base: $0) ?? $0] }
        .map { RewrittenName.original(of: $0) })
  }

  /// What a file of this name is called once it was moved.
  func nameElsewhere(_ base: Data) -> [UInt8] {
    NameHints.withoutForeignUID(base: [UInt8](base)) ?? [UInt8](base)
  }

  /// Whether it is the very file of some step.
  func isMeant(_ entry: Entry) -> Bool { identities.contains(entry.identity) }

  /// - Parameter path: below the root.
  mutating func entries(in path: String) throws -> [Entry] {
    if let known = read[path] { return known }
    let folder = try tree.folder(path)
    var files: [MessageFile] = []
    _ = try FolderEntries.read(folder) {
      files = []
    } _: { subdirectory, name, inode in
      let file = MessageFile(subdirectory: subdirectory, name: Array(name))
      let base = file.base
      let original = base.contains(UInt8(ascii: "~")) ? RewrittenName.original(of: base) : base
      if inodes.contains(inode) || names.contains(original) { files.append(file) }
    }
    let entries = try files.compactMap { file in
      try FolderEntries.facts(file, in: folder).map {
        Entry(file: file, identity: FileIdentity($0))
      }
    }
    read[path] = entries
    return entries
  }

  /// The very file, whatever its name; of several links to it, the one of the name.
  mutating func same(_ identity: FileIdentity?, named base: Data, in path: String) throws -> Entry?
  {
    guard let identity else { return nil }
    let all = try entries(in: path).filter { $0.identity == identity }
    return all.first { $0.file.base == [UInt8](base) } ?? all.first { $0.isNamed(base) }
      ?? all.first
  }

  /// The one file of the name, rewritten or not.
  mutating func named(_ base: Data, in path: String) throws -> Entry? {
    let all = try entries(in: path).filter { $0.isNamed(base) }
    return all.first { $0.file.base == [UInt8](base) } ?? (all.count == 1 ? all.first : nil)
  }

  /// It is a step's now, and no other's.
  mutating func take(_ entry: Entry, from path: String) {
    read[path]?.removeAll { $0.file == entry.file }
  }

  /// It lies there once a step that was found is taken back.
  mutating func put(_ entry: Entry, in path: String) {
    guard (try? entries(in: path)) != nil else { return }
    read[path]?.append(entry)
  }
}
