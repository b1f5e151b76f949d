import Foundation

/// What an offlineimap configuration says of local trees, for offlineimap 6 to 8.
///
/// Values that Python computes (`remoteusereval`, `nametrans`) stay unknown: it is not run.
package struct OfflineimapConfiguration: Sendable {
  package private(set) var trees: [PeerTree] = []

  /// - Parameter environment: for `~` and `$NAME` in paths.
  package init(_ text: String, environment: [String: String]) {
    let ini = INIText(text)
    let accounts = (ini.value("accounts", in: "general") ?? "").split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    for account in accounts where !account.isEmpty {
      if let tree = Self.tree(account, ini, environment) { trees.append(tree) }
    }
  }

  private static func tree(_ account: String, _ ini: INIText, _ environment: [String: String])
    -> PeerTree?
  {
    let section = "Account \(account)"
    guard let localName = ini.value("localrepository", in: section) else { return nil }
    let local = "Repository \(localName)"
    let type = ini.value("type", in: local)?.lowercased()
    guard type == "maildir" || type == "gmailmaildir",
      let folders = ini.value("localfolders", in: local),
      let path = absolute(folders, environment)
    else { return nil }
    let separator = ini.value("sep", in: local)?.first ?? "."
    var tree = PeerTree(
      name: account, path: path, style: separator == "/" ? .verbatim : .joined(separator))
    if let remoteName = ini.value("remoterepository", in: section) {
      let remote = "Repository \(remoteName)"
      let isGmail = ini.value("type", in: remote)?.lowercased() == "gmail"
      tree.server = PeerServer(
        host: ini.value("remotehost", in: remote) ?? (isGmail ? "imap.gmail.com" : nil),
        user: ini.value("remoteuser", in: remote))
      if [local, remote].contains(where: { ini.value("nametrans", in: $0) != nil }) {
        tree.remarks.append(
          "A nametrans gives its folders other names than the server's; --map says which is which.")
      }
    }
    return tree
  }

  private static func absolute(_ path: String, _ environment: [String: String]) -> String? {
    var path = path
    let home = environment["HOME"] ?? ""
    if path == "~" || path.hasPrefix("~/") { path = home + path.dropFirst() }
    for (name, value) in environment.sorted(by: { $0.key.count > $1.key.count }) {
      path = path.replacing("${\(name)}", with: value).replacing("$\(name)", with: value)
    }
    guard path.hasPrefix("/") else { return nil }
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}
