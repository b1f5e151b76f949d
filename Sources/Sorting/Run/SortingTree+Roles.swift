import Ledger
import MailCore
import State
import SyncPlan

extension SortingTree {
  /// The folder that the account's server calls its Trash, Archive …; else the one that people and clients call so. For
  /// the trash it is the one that a push takes. Below the root.
  func path(of use: SpecialUse, account: String) throws -> String? {
    guard let state = try state(of: account) else { return try named(use, account) }
    defer { state.shut() }
    let here = Set(try folders(of: account))
    let mailboxes = try state.mailboxes().filter { !$0.isGone }
    func first(_ found: [MailboxRecord]) -> String? {
      found.sorted { $0.id < $1.id }.lazy.map { $0.path(account) }
        .first { here.contains($0) }
    }
    let special = mailboxes.filter { $0.specialUse == use.rawValue }
    if !special.isEmpty { return first(special) }
    // On Gmail a label that a person called Trash is a label: what gets it stays where it is.
    if use == .trash, hasLabels(account) { return nil }
    let names = FolderRoles.names(of: use)
    let namesakes = mailboxes.filter {
      FolderRoles.isNamed(MailboxName($0.name, delimiter: $0.delimiter?.first), names)
    }
    if let path = first(namesakes) { return path }
    // The folder of one that is gone from the server is none: what is put there is not pushed.
    let dead = try state.mailboxes().filter(\.isGone).map { $0.path(account) }
    return try named(use, account).flatMap { dead.contains($0) ? nil : $0 }
  }

  /// The folder that a push would make a mailbox for, to put there what is deleted. Nil where the server has a trash
  /// that is not here, or may have one: of what is not mirrored, or was never pulled, nothing is known.
  func trashToBe(_ account: String) throws -> NewFolder? {
    let name = "Trash"
    guard !hasLabels(account), let state = try state(of: account) else { return nil }
    defer { state.shut() }
    let all = try state.mailboxes()
    let known = all.filter { !$0.isGone }
    guard !known.isEmpty, FolderRoles(known).trash.isEmpty,
      settings(account)?.sync.folders == .everything
    else { return nil }
    // The folder of one that is gone stands where the new one's would.
    let roles = FolderRoles(all).trash
    let dead = all.filter { roles.contains($0.id) }
    let folder = try newFolder(named: name, account: account)
    let taken = Set(dead.map { $0.path(account) } + [folder.path])
    return try folders(of: account).contains(where: taken.contains) ? nil : folder
  }

  /// Gmail's archive where it is not mirrored, and its folder is not there yet: a push moves there what lies in it, and
  /// then the files leave the tree. Nil where no pull has seen the archive.
  func archiveToBe(_ account: String) throws -> NewFolder? {
    guard let archive = try unmirroredArchive(account) else { return nil }
    return NewFolder(
      account: account, name: archive.mailboxName.levels.joined(separator: "/"),
      place: archive.folder)
  }

  /// Without a word of the server.
  private func named(_ use: SpecialUse, _ account: String) throws -> String? {
    if let path = try path(named: use.rawValue, account: account) { return path }
    for name in FolderRoles.names(of: use).sorted() {
      for place in [name, "INBOX/" + name] {
        if let path = try path(named: place, account: account) { return path }
      }
    }
    return nil
  }

  /// Whether the account is Gmail's: its `\All` mailbox holds what is archived.
  func hasLabels(_ account: String) -> Bool {
    let host = settings(account)?.imap.host.lowercased() ?? ""
    return host.hasSuffix("gmail.com") || host.hasSuffix("googlemail.com")
      || (try? unmirroredArchive(account)) != nil
  }

  /// Whether no push takes what is put into All Mail's folder: the server hides All Mail, or what an earlier configuration
  /// mirrored of it lies there.
  func leavesArchiveOut(_ account: String) throws -> Bool {
    guard let folders = settings(account)?.sync.folders, let state = try state(of: account) else {
      return false
    }
    defer { state.shut() }
    let mailboxes = try state.mailboxes().filter { !$0.isGone }
    return !mailboxes.isEmpty
      && !mailboxes.contains {
        $0.specialUse == SpecialUse.all.rawValue
          && ($0.keepsNothing || MailboxCatalogue.isMirrored($0, folders))
      }
  }

  private func unmirroredArchive(_ account: String) throws -> MailboxRecord? {
    guard let state = try state(of: account) else { return nil }
    defer { state.shut() }
    return try state.mailboxes().first { !$0.isGone && $0.keepsNothing }
  }
}

extension MailboxRecord {
  /// Below the root.
  func path(_ account: String) -> String { folder.text(in: account) }
}
