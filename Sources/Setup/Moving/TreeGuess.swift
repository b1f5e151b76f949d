import Foundation
import MailCore

/// Trees in a directory of which no configuration tells.
struct TreeGuess {
  let tool: PeerTool
  let directory: String

  var trees: [PeerTree] {
    if isAccount(directory) { return [tree(at: directory)] }
    let accounts = subdirectories(directory).map { directory + "/" + $0 }.filter(isAccount)
    if !accounts.isEmpty { return accounts.map(tree) }
    return holdsMaildir(directory, depth: 0) ? [tree(at: directory)] : []
  }

  private func tree(at path: String) -> PeerTree {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    // offlineimap's own default; nested folders tell that it was changed.
    let isJoined =
      tool == .offlineimap && !isMaildir(path)
      && !subdirectories(path).contains { name in
        subdirectories(path + "/" + name).contains { isMaildir("\(path)/\(name)/\($0)") }
      }
    return PeerTree(name: name, path: path, style: isJoined ? .joined(".") : .guessed)
  }

  /// A Maildir, or the directory of an INBOX.
  private func isAccount(_ path: String) -> Bool {
    isMaildir(path)
      || subdirectories(path).contains {
        Keywords.fold($0) == "inbox" && isMaildir(path + "/" + $0)
      }
  }

  private func holdsMaildir(_ path: String, depth: Int) -> Bool {
    guard depth < 4 else { return false }
    return subdirectories(path).contains {
      isMaildir(path + "/" + $0) || holdsMaildir(path + "/" + $0, depth: depth + 1)
    }
  }

  private func isMaildir(_ path: String) -> Bool {
    ["cur", "new", "tmp"].allSatisfy { PeerTree.isDirectory(path + "/" + $0) }
  }

  /// Sorted. Maildirs' own directories, and those of programs, hold no trees.
  private func subdirectories(_ path: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter {
      !["cur", "new", "tmp", ".mirror", ".notmuch"].contains($0)
        && PeerTree.isDirectory(path + "/" + $0)
    }.sorted()
  }
}
