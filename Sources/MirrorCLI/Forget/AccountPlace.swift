import Foundation
import MailCore
import Maildir
import Settings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where an account's tree lies while the account is being removed, and how far that has come, as it stands on disk.
///
/// The tree leaves its place in one rename, and a directory that is no tree takes the place: whatever cuts this off, no run
/// takes a half-removed tree for one in which a person deleted mail, and none begins a new one. Up to ``decide(_:)`` it
/// all goes back; from then on it goes forward.
struct AccountPlace {
  enum Stage: Equatable {
    /// Nothing was begun.
    case whole
    /// The tree is aside, and looked at for the last time.
    case aside
    /// It goes. What was changed from this moment on does not.
    case decided(since: Int64)
  }

  let account: String
  private let root: Directory
  /// `ROOT/.mirror/forgotten/ACCOUNT`: no run and no index looks there.
  private let limbo: Directory

  static let treeName = "tree"
  static let decisionName = "decided"
  private static let momentName = "moment"
  private static let linksName = "links"
  private static let inventoryName = "inventory"
  private static let unconfiguredName = "unconfigured"
  /// Of a block that is being made, and of one that is being removed.
  private static let draftName = "block"
  private static let goneName = "gone"
  static let controlName = ".mirror"
  static let limboName = "forgotten"

  /// Makes what it needs, but no tree.
  ///
  /// - Throws: ``ForgetError/badName(_:_:)`` for what can be no account's name, and may be a way out of the root.
  init(root path: String, account: String) throws {
    self.account = account
    try Self.checkName(account)
    root = try Directory.open(path: path)
    var place = root
    for name in [Self.controlName, Self.limboName, account] {
      if try place.makeDirectory(name) { try place.sync() }
      guard let next = try place.realDirectory(name) else {
        throw MaildirError.treeVanished(path: place.path + "/" + name)
      }
      place = next
    }
    limbo = place
  }

  static func checkName(_ account: String) throws(ForgetError) {
    if let fault = AccountName.fault(account) { throw .badName(account, fault) }
  }

  /// Whether a removal was begun, without making anything.
  static func isBegun(root: String, account: String) -> Bool {
    let limbo = "\(root)/\(controlName)/\(limboName)/\(account)"
    return access(limbo + "/" + treeName, F_OK) == 0
      || access(limbo + "/" + decisionName, F_OK) == 0
  }

  /// The account's directory, where it belongs.
  var home: String { root.path + "/" + account }
  /// The same while it is aside.
  var aside: String { limbo.path + "/" + Self.treeName }

  var stage: Stage {
    get throws {
      if let moment = try decision() { return .decided(since: moment) }
      if try isBlock(account, in: root) { return .aside }
      let hasTree = try limbo.realDirectory(Self.treeName) != nil
      return try hasTree && !isBlock(Self.treeName, in: limbo) ? .aside : .whole
    }
  }

  // MARK: Out of its place

  /// - Throws: ``ForgetError/notInRoot(_:path:isLink:)`` for a directory that cannot be put aside as it is.
  func check() throws { try Self.check(account, in: root) }

  /// The same, for who makes nothing.
  static func check(_ account: String, in root: Directory) throws {
    guard let facts = try root.entryFacts(account) else { return }
    let home = root.path + "/" + account
    let isLink = facts.isLink
    guard !isLink, try facts.device == root.facts().device else {
      throw ForgetError.notInRoot(account, path: home, isLink: isLink)
    }
    if let inside = MountTable.mount(inside: home) {
      throw ForgetError.notInRoot(account, path: inside, isLink: false)
    }
  }

  func putAside() throws {
    try check()
    try makeBlock()
    do {
      if try root.entryFacts(account) == nil {
        guard try limbo.rename(Self.treeName, to: root, account) else { return try putAside() }
      } else if try !root.exchange(account, with: Self.treeName, of: limbo) {
        // The file system has no exchange: for a moment the place is free.
        try removeBlock(Self.treeName, in: limbo)
        guard try root.rename(account, to: limbo, Self.treeName, byLinks: false) else {
          throw MaildirError.nameTaken(name: aside)
        }
      }
    } catch MaildirError.system(_, _, EBUSY) {
      throw ForgetError.notInRoot(account, path: home, isLink: false)
    }
    try limbo.sync()
    try root.sync()
  }

  /// To its place again, as it was. What was made there in between lies in a directory that is named.
  ///
  /// - Throws: ``ForgetError/placeTaken(_:path:aside:)``.
  func putBack() throws {
    try clean()
    let hasTree = try limbo.realDirectory(Self.treeName) != nil
    if try isBlock(account, in: root) {
      if try hasTree && root.exchange(account, with: Self.treeName, of: limbo) {
        try root.sync()
        try limbo.sync()
        return try removeBlock(Self.treeName, in: limbo)
      }
      try removeBlock(account, in: root)
    }
    if hasTree, try !isBlock(Self.treeName, in: limbo) {
      guard try limbo.rename(Self.treeName, to: root, account, byLinks: false) else {
        throw ForgetError.placeTaken(account, path: home, aside: aside)
      }
    }
    try root.sync()
    try limbo.sync()
  }

  // MARK: The decision

  /// The file system's time, for ``decide(_:)``: to be asked before the last look, so that nothing that comes after the
  /// look counts as what it saw.
  func moment() throws -> Int64 {
    // Such times have steps, of some milliseconds; some file systems have whole seconds, or two.
    for pause in [0.03, 2.1] {
      Thread.sleep(forTimeInterval: pause)
      let moment = try limbo.moment(Self.momentName)
      if moment % 1_000_000_000 != 0 || pause > 1 { return moment }
    }
    return 0
  }

  func decide(_ moment: Int64, _ inventory: Inventory) throws {
    try write(inventory.text(), to: Self.inventoryName)
    if let tree = try limbo.realDirectory(Self.treeName) {
      let links = try TreeRemoval.links(below: tree, unchangedSince: moment)
      try write(links.map { "\($0)\n" }.joined(), to: Self.linksName)
    }
    try write("\(moment)\n", to: Self.decisionName)
    try limbo.sync()
  }

  private func write(_ text: String, to name: String) throws {
    let draft = name + ".new"
    guard let file = try limbo.open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW) else {
      return
    }
    try file.write(Array(text.utf8), path: limbo.path)
    try file.sync(path: limbo.path)
    try limbo.replace(name, with: draft, of: limbo)
  }

  /// Nil where an earlier version of the program began, which kept none.
  var inventory: Inventory? { Inventory(path: limbo.path + "/" + Self.inventoryName) }

  private var links: Set<UInt64> {
    let data = FileManager.default.contents(atPath: limbo.path + "/" + Self.linksName) ?? Data()
    return Set(data.split(separator: 10).compactMap { UInt64(String(decoding: $0, as: UTF8.self)) })
  }

  private func decision() throws -> Int64? {
    guard let file = try limbo.open(Self.decisionName, O_RDONLY | O_NOFOLLOW) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = try file.read(into: &bytes, path: limbo.path)
    return Int64(String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self))
  }

  /// The configuration is about to lose the account: one of its name that it has later is another.
  func noteUnconfigured() throws {
    try write("", to: Self.unconfiguredName)
    try limbo.sync()
  }

  var isUnconfigured: Bool {
    get throws { try limbo.entryFacts(Self.unconfiguredName) != nil }
  }

  /// Whether a tree lies where the one that is being removed lay.
  var hasNewTree: Bool {
    get throws { try root.entryFacts(account) != nil && !isBlock(account, in: root) }
  }

  // MARK: Removal

  /// Removes the tree, and lets the place go.
  ///
  /// - Returns: files of messages that went, what came too late to be looked at, and stays, and where mail lies to which
  ///   only links led.
  func remove(unchangedSince moment: Int64) throws -> (
    messages: Int, left: [String], linked: [String]
  ) {
    var removal = TreeRemoval(unchangedSince: moment, links: links) { path in
      // Of what is below `.mirror` only the queue takes anything from outside.
      path.first == Self.controlName
        && !(path.count > 2 && path[1] == "outbox" && ["new", "cur", "entries"].contains(path[2]))
    }
    try removal.remove(Self.treeName, in: limbo)
    try clean()
    var left = removal.left.map { aside + "/" + $0 }
    if try isBlock(account, in: root) {
      if try isEmptyBlock(account, in: root) {
        try removeBlock(account, in: root)
      } else if let directory = try root.realDirectory(account) {
        try directory.unlink(Self.controlName)
        left.append(home)
      }
    } else if try root.entryFacts(account) != nil {
      left.append(home)
    }
    try root.sync()
    return (removal.messages, left, removal.linked)
  }

  /// The last step: nothing tells of the removal any more.
  func close() throws {
    if try isBlock(Self.treeName, in: limbo) { try removeBlock(Self.treeName, in: limbo) }
    try clean()
    for name in [Self.decisionName, Self.unconfiguredName, Self.linksName, Self.inventoryName] {
      try limbo.unlink(name)
    }
    guard let control = try root.realDirectory(Self.controlName),
      let above = try control.realDirectory(Self.limboName)
    else { return }
    _ = try? above.unlink(account, directory: true)
    _ = try? control.unlink(Self.limboName, directory: true)
  }

  // MARK: The block

  /// A directory in which `.mirror` is a file: no program of ours takes it for a tree, or makes one of it.
  private func isBlock(_ name: String, in parent: Directory) throws -> Bool {
    try parent.realDirectory(name)?.entryFacts(Self.controlName)?.isRegularFile == true
  }

  private func isEmptyBlock(_ name: String, in parent: Directory) throws -> Bool {
    guard let directory = try parent.realDirectory(name) else { return false }
    var count = 0
    try DirectoryNames.forEach(in: directory) { _, _ in count += 1 }
    return count == 1
  }

  private func makeBlock() throws {
    if try isBlock(Self.treeName, in: limbo) { return }
    try clean()
    // Under another name until it is one.
    _ = try limbo.makeDirectory(Self.draftName)
    guard let block = try limbo.realDirectory(Self.draftName),
      let file = try block.open(Self.controlName, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    else { throw MaildirError.treeVanished(path: limbo.path) }
    try file.write(
      Array("`mirror forget \(account)` is at work, or was interrupted: run it again.\n".utf8),
      path: block.path)
    try block.sync()
    guard try limbo.rename(Self.draftName, to: limbo, Self.treeName, byLinks: false) else {
      throw MaildirError.nameTaken(name: aside)
    }
    try limbo.sync()
  }

  /// What a run that was killed left of blocks, and of files of the moment.
  private func clean() throws {
    for name in [Self.draftName, Self.goneName] {
      try limbo.realDirectory(name)?.unlink(Self.controlName)
      try limbo.unlink(name, directory: true)
    }
    try limbo.unlink(Self.momentName)
    for name in [Self.decisionName, Self.linksName, Self.unconfiguredName, Self.inventoryName] {
      try limbo.unlink(name + ".new")
    }
  }

  /// With something in it, it keeps that under another name.
  private func removeBlock(_ name: String, in parent: Directory) throws {
    guard try isEmptyBlock(name, in: parent) else {
      for number in 1...100
      where try parent.rename(name, to: limbo, "came-\(number)", byLinks: false) {
        throw ForgetError.came(home, to: "\(limbo.path)/came-\(number)")
      }
      return
    }
    guard let block = try parent.realDirectory(name) else { return }
    // Without the file it would be an empty tree for a moment: both go at once.
    guard try parent.rename(name, to: limbo, Self.goneName, byLinks: false) else {
      throw MaildirError.nameTaken(name: limbo.path + "/" + Self.goneName)
    }
    try block.unlink(Self.controlName)
    try limbo.unlink(Self.goneName, directory: true)
  }
}
