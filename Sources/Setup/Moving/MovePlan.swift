import MailCore
import Maildir
import Settings

/// Which folder of another program's tree is which mailbox, and where in the account's tree it belongs: pure.
package struct MovePlan: Sendable {
  package struct Folder: Sendable, Equatable {
    package var source: FoundFolder
    package var mailbox: MailboxName
    /// Below the account's directory.
    package var target: FolderPath
    /// It lies just there.
    package var stays: Bool
  }

  package struct LeftOut: Sendable, Equatable, Encodable {
    package var subject: String
    package var reason: String
    /// Somebody has to do something about it; else it is as it should be.
    package var isProblem: Bool

    private enum CodingKeys: String, CodingKey { case subject, reason }

    package init(_ subject: String, _ reason: String, isProblem: Bool = true) {
      self.subject = subject
      self.reason = reason
      self.isProblem = isProblem
    }
  }

  package let account: String
  /// The account's directory.
  package let home: String
  package private(set) var folders: [Folder] = []
  package private(set) var leftOut: [LeftOut]

  /// - Parameters:
  ///   - home: the account's directory, without symbolic links.
  ///   - isOurs: a pull knows the tree, so what lies in it is where it belongs.
  /// - Throws: ``MovingError/misfit(account:directory:folder:fitting:)`` where the tree is the account's own directory,
  ///   in another layout.
  package init(
    _ subject: MoveSubject, _ found: PeerTree.Found, home: String, layout: Maildir.FolderLayout,
    isOurs: Bool = false
  ) throws(MovingError) {
    account = subject.account.name
    self.home = home
    leftOut = found.unreadable.map { LeftOut($0.path, $0.reason) }
    let wanted = choose(found.folders, by: subject.tree.mapping)
    let places = layout.assign(wanted.map(\.mailbox))
    var misfits: [(folder: FoundFolder, mailbox: MailboxName, target: FolderPath)] = []
    for (folder, mailbox) in wanted {
      guard let target = places[mailbox] else { continue }
      let isWithin = folder.directory == home || PeerTree.isBelow(folder.directory, home)
      let stays = isWithin && (isOurs || Self.isSame(folder.directory, place(of: target)))
      if isWithin, !stays {
        misfits.append((folder, mailbox, target))
      } else {
        folders.append(Folder(source: folder, mailbox: mailbox, target: target, stays: stays))
      }
    }
    if let worst = misfits.first(where: { $0.mailbox.isInbox }) ?? misfits.first,
      worst.mailbox.isInbox || !folders.contains(where: \.stays)
    {
      throw .misfit(
        account: account, directory: home, folder: worst.folder.directory,
        fitting: otherLayout(layout, fitting: wanted))
    }
    for (folder, _, target) in misfits {
      leftOut.append(
        LeftOut(
          folder.directory,
          "It lies in the account's directory, where this mailbox belongs to "
            + "“\(place(of: target))”. Rename it."))
    }
  }

  private typealias Wanted = (folder: FoundFolder, mailbox: MailboxName)

  private mutating func choose(_ found: [FoundFolder], by mapping: FolderMapping) -> [Wanted] {
    var wanted: [Wanted] = []
    for folder in found {
      guard let name = folder.name else {
        leftOut.append(
          LeftOut(folder.directory, "Its place in the tree tells no mailbox; --map cannot name it.")
        )
        continue
      }
      switch mapping.verdict(on: name) {
      case .mailbox(let mailbox):
        let name = MailboxName(mailbox, delimiter: "/")
        // As a pull names it.
        wanted.append((folder, name.isSpelled ? name : name.reading))
      case .othersMailbox: break
      case .unsynced:
        leftOut.append(
          LeftOut(
            folder.directory,
            "No channel takes it to the server; --map '\(name)=MAILBOX' takes it all the same.",
            isProblem: false))
      }
    }
    return wanted
  }

  private func place(of target: FolderPath) -> String {
    target.components.isEmpty ? home : home + "/" + target.text
  }

  /// The other layout, where with it everything in the account's directory would lie in its place.
  private func otherLayout(_ layout: Maildir.FolderLayout, fitting wanted: [Wanted]) -> String? {
    let style: LayoutStyle = layout.style == .nested ? .maildirPlusPlus : .nested
    let other = Maildir.FolderLayout(
      style: style, traits: layout.traits,
      separator: layout.escapesForWindows ? .semicolon : .colon)
    let places = other.assign(wanted.map(\.mailbox))
    let fits = wanted.allSatisfy { folder, mailbox in
      guard let target = places[mailbox] else { return false }
      let isWithin = folder.directory == home || PeerTree.isBelow(folder.directory, home)
      return !isWithin || Self.isSame(folder.directory, place(of: target))
    }
    return fits ? style.rawValue : nil
  }

  /// Byte by byte: file systems may tell é from e with an accent.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }
}
