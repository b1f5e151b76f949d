import Foundation
import MailCore
import Settings

/// One tree of another program, and the account of ours that it belongs to.
package struct MoveSubject: Sendable {
  package var account: AccountSettings
  package var tree: PeerTree
}

/// Finds out which trees are meant, and whose they are.
package struct MoveSubjects: Sendable {
  package private(set) var subjects: [MoveSubject] = []
  /// Trees that are none of our accounts'.
  package private(set) var leftOut: [(tree: PeerTree, error: MovingError)] = []
  /// The peer's configuration does not tell of the directory.
  package private(set) var isGuessed = false

  /// - Parameters:
  ///   - configured: what the peer's configuration tells of.
  ///   - directory: as the user named it, absolute; nil for all trees of the peer's configuration.
  ///   - name: of the account, as the user named it.
  /// - Throws: where nothing, or too much, could be meant.
  package init(
    _ tool: PeerTool, configured: [PeerTree], directory: String?, account name: String?,
    accounts: [AccountSettings]
  ) throws(MovingError) {
    var trees = configured.filter { tree in directory.map { tree.lies(in: $0) } ?? true }
    if trees.isEmpty {
      guard let directory else { throw .directoryNeeded(tool) }
      guard PeerTree.isDirectory(directory) else { throw .noDirectory(directory) }
      trees = TreeGuess(tool: tool, directory: directory).trees
      isGuessed = true
      guard !trees.isEmpty else { throw .noMail(directory) }
    }
    if let name {
      try choose(trees, for: name, accounts)
    } else {
      match(trees, accounts)
    }
    if subjects.isEmpty, let first = leftOut.first { throw first.error }
  }

  private mutating func choose(
    _ trees: [PeerTree], for name: String, _ accounts: [AccountSettings]
  ) throws(MovingError) {
    guard let account = accounts.first(where: { $0.name == name }) else {
      throw .noSuchAccount(name, known: accounts.map(\.name))
    }
    let known = trees.filter { $0.owner(among: accounts)?.name == name }
    let chosen = known.isEmpty ? trees : known
    guard chosen.count == 1 || !known.isEmpty else {
      throw .ambiguous(account: name, trees: trees.map(\.path))
    }
    subjects = chosen.map { MoveSubject(account: account, tree: $0) }
  }

  private mutating func match(_ trees: [PeerTree], _ accounts: [AccountSettings]) {
    for tree in trees {
      if let account = tree.owner(among: accounts) {
        subjects.append(MoveSubject(account: account, tree: tree))
      } else if trees.count == 1, accounts.count == 1, tree.server?.user == nil,
        tree.server?.host == nil
      {
        subjects.append(MoveSubject(account: accounts[0], tree: tree))
      } else {
        leftOut.append(
          (
            tree,
            .unmatched(
              tree: tree.path, server: tree.server?.words, accounts: accounts.map(\.name))
          ))
      }
    }
  }
}

extension PeerServer {
  /// `alice at imap.example.org`
  var words: String? {
    switch (user, host) {
    case (let user?, let host?): "\(user) at \(host)"
    case (let word?, nil), (nil, let word?): word
    case (nil, nil): nil
    }
  }
}

extension PeerTree {
  /// The account whose mail it is: by the server, else by a name that says so.
  func owner(among accounts: [AccountSettings]) -> AccountSettings? {
    if let user = server?.user {
      let same = accounts.filter { Self.isSame($0.imap.user, user) }
      if let host = server?.host,
        let exact = same.first(where: { Self.isSame($0.imap.host, host) })
      {
        return exact
      }
      return same.count == 1 ? same[0] : nil
    }
    if let host = server?.host {
      let same = accounts.filter { Self.isSame($0.imap.host, host) }
      return same.count == 1 ? same[0] : nil
    }
    let last = path.split(separator: "/").last.map(String.init) ?? ""
    let named = accounts.filter { account in
      [name, last].contains {
        Self.isSame($0, account.name) || Self.isSame($0, account.email ?? "")
      }
    }
    return named.count == 1 ? named[0] : nil
  }

  /// The directory is the tree's, or its INBOX's, or one above them.
  func lies(in directory: String) -> Bool {
    let wanted = Self.resolved(directory)
    return [path, inbox].compactMap(\.self).contains {
      let own = Self.resolved($0)
      return own == wanted || Self.isBelow(own, wanted)
    }
  }

  private static func isSame(_ one: String, _ other: String) -> Bool {
    !one.isEmpty && Keywords.fold(one) == Keywords.fold(other)
  }
}
