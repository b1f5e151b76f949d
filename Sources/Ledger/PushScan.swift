/// When a folder was last found to hold nothing that waits for a push.
package struct PushScan: Codable, Sendable, Equatable {
  package var mailbox: MailboxKey
  /// Modification times of `new` and `cur` in nanoseconds; 0 where they prove nothing.
  package var newModified: Int64
  package var curModified: Int64
  /// Which directories those were: others that were put in their place may have their times.
  package var newInode: Int64
  package var curInode: Int64
  /// When the scan began, in nanoseconds since 1970: a file that changed later is looked into.
  package var scanned: Int64
  /// When every file's size and time were last compared, Unix seconds.
  package var compared: Int64

  package init(
    mailbox: MailboxKey, newModified: Int64, curModified: Int64, newInode: Int64, curInode: Int64,
    scanned: Int64, compared: Int64
  ) {
    self.mailbox = mailbox
    self.newModified = newModified
    self.curModified = curModified
    self.newInode = newInode
    self.curInode = curInode
    self.scanned = scanned
    self.compared = compared
  }
}
