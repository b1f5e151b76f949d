import MailCore
import Settings

/// What an mbsync configuration says of local trees, for mbsync 1.0 to 1.5.
package struct MbsyncConfiguration: Sendable {
  package private(set) var trees: [PeerTree] = []

  /// A store within a channel: `:store:box`.
  private struct Side {
    var store: String
    var box: String

    init?(_ text: String?) {
      guard let text, text.hasPrefix(":") else { return nil }
      let parts = text.dropFirst().split(
        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      store = String(parts[0])
      box = String(parts[1])
    }
  }

  /// A channel between a Maildir store and another one.
  private struct Link {
    var local: String
    var remote: String
    var rule: FolderMapping.Rule
  }

  /// - Parameter home: for `~`; relative paths are left out, since they mean the directory that mbsync is run in.
  package init(_ text: String, home: String) {
    let words = MbsyncWords(text)
    let stores = words.all("maildirstore")
    let links = words.all("channel").flatMap { Self.links($0, Set(stores.map(\.name))) }
    for store in stores {
      let own = links.filter { $0.local == store.name }
      var remotes: [String?] = []
      for link in own where !remotes.contains(link.remote) { remotes.append(link.remote) }
      if remotes.isEmpty { remotes = [nil] }
      for remote in remotes {
        guard var tree = Self.tree(store, home: home) else { continue }
        tree.mapping.rules = own.filter { $0.remote == remote }.map(\.rule)
        tree.mapping.othersRules = own.filter { $0.remote != remote }.map(\.rule)
        if let remote { Self.add(remote, of: words, to: &tree) }
        trees.append(tree)
      }
    }
  }

  private static func links(_ channel: MbsyncWords.Section, _ local: Set<String>) -> [Link] {
    // Master and Slave until 1.3.
    guard let far = Side(channel.first("far", "master")),
      let near = Side(channel.first("near", "slave"))
    else { return [] }
    let patterns = channel.all("pattern", "patterns")
    return [(near, far), (far, near)].filter { local.contains($0.0.store) }.map { here, there in
      guard patterns.isEmpty else {
        return Link(
          local: here.store, remote: there.store,
          rule: .init(
            folder: here.box, mailbox: there.box, patterns: FolderPatterns(patterns)))
      }
      return Link(
        local: here.store, remote: there.store,
        rule: .init(
          folder: here.box.isEmpty ? "INBOX" : here.box,
          mailbox: there.box.isEmpty ? "INBOX" : there.box))
    }
  }

  private static func tree(_ store: MbsyncWords.Section, home: String) -> PeerTree? {
    let inbox = absolute(store.first("inbox") ?? "~/Maildir", home)
    let subFolders = store.first("subfolders")?.lowercased()
    let isPlusPlus = subFolders == "maildir++"
    let path = isPlusPlus ? inbox : store.first("path").map { absolute($0, home) } ?? inbox
    guard let path, let inbox else { return nil }
    var tree = PeerTree(name: store.name, path: path, inbox: inbox)
    if let flat = store.first("flatten")?.first {
      tree.style = .joined(flat)
    } else {
      switch subFolders {
      case "verbatim": tree.style = .verbatim
      case "maildir++": tree.style = .maildirPlusPlus
      case "legacy": tree.style = .legacy
      default: break
      }
    }
    if let delimiter = store.first("infodelimiter"), ![":", ";", "!"].contains(delimiter) {
      tree.remarks.append(
        "The flags of its files stand behind “\(delimiter)”, which mirror does not read.")
    }
    if store.first("altmap")?.lowercased() == "yes" {
      tree.remarks.append("It keeps UIDs in a database (AltMap), which is not needed here.")
    }
    if let alias = store.first("mapinbox") {
      tree.mapping.said.append(.init(folder: alias, mailbox: "INBOX"))
    }
    return tree
  }

  /// Server and prefix of the far side.
  private static func add(_ name: String, of words: MbsyncWords, to tree: inout PeerTree) {
    guard let store = words.all("imapstore").last(where: { $0.name == name }) else { return }
    let account = store.first("account").flatMap { wanted in
      words.all("imapaccount").last { $0.name == wanted }
    }
    // Options of the account may stand in the store itself.
    let host = store.first("host") ?? account?.first("host")
    let user = store.first("user") ?? account?.first("user")
    tree.server = PeerServer(host: host, user: user)
    guard let path = store.first("path"), !path.isEmpty else { return }
    let delimiter = store.first("pathdelimiter") ?? (path.hasSuffix(".") ? "." : "/")
    tree.mapping.prefix =
      path.split(separator: delimiter, omittingEmptySubsequences: true)
      .joined(separator: "/") + "/"
  }

  /// Nil for what is relative.
  private static func absolute(_ path: String, _ home: String) -> String? {
    var path = path
    if path == "~" || path.hasPrefix("~/") { path = home + path.dropFirst() }
    guard path.hasPrefix("/") else { return nil }
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}
