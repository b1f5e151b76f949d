import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import SyncPlan

extension AccountContext {
  func holdsFolder(_ path: FolderPath) throws -> Bool { try folders.holds(path) }
  func openFolder(_ path: FolderPath) throws -> MaildirFolder { try folders.open(path) }
  func renameFolder(_ path: FolderPath, to target: FolderPath) throws(MaildirError) {
    try folders.rename(path, to: target)
  }
  func removeFolder(_ path: FolderPath) throws(MaildirError) { try folders.remove(path) }
  func folder(ofMailbox id: Int64, isShared: Bool = false) throws -> LocalFolder? {
    try folders.local(ofMailbox: id, isShared: isShared)
  }
  func folder(at path: FolderPath) throws -> LocalFolder { try folders.local(at: path) }
  func local(_ folder: MaildirFolder, isShared: Bool = false) -> LocalFolder {
    folders.local(folder, isShared: isShared)
  }
  func places(ofFiles hashes: Set<UInt64>, except home: FolderPath) throws -> [UInt64: FolderPath] {
    try folders.places(ofFiles: hashes, except: home)
  }
  func bornElsewhere(_ mailbox: MailboxName, _ validity: UInt32, except home: FolderPath) throws
    -> [(MessageFile, FolderPath)]
  { try elsewhere.born(mailbox, validity, except: home) }
  func relocate(_ record: inout MailboxRecord, from old: FolderPath, besides pending: Set<Int64>)
    throws
  { try FolderRelocations(self).relocate(&record, from: old, besides: pending) }
  func retire(_ record: inout MailboxRecord) throws { try FreeNames(self).retire(&record) }
  func unusedName(_ name: String) throws -> String { try FreeNames(self).unused(name) }
  func beginRename(_ rename: MailboxRename) throws -> MailboxRename {
    try RenameJournal(self).begin(rename)
  }
  func dropRename() throws { try RenameJournal(self).drop() }
  func complete(_ rename: MailboxRename, raw: [UInt8]) throws -> [RenamedMailbox] {
    try RenameJournal(self).complete(rename, raw: raw)
  }
  func commit(_ changed: inout [MailboxRecord]) throws { try RenameJournal(self).commit(&changed) }
  func settleRename(_ listings: [MailboxListing]) throws -> [RenamedMailbox] {
    try RenameJournal(self).settle(listings)
  }
}
