import MailCore

/// What can go wrong while a mailbox is brought in step.
package enum SyncError: Error, Equatable {
  /// Fewer UIDs listed than EXISTS announced: no deletion may follow (promise 3).
  case listingIncomplete(MailboxName, missing: Int)
  /// So many of a mailbox's messages are out of view: a server that shows only the newest, or was restored in part, looks
  /// the same as one that expunged them, so the person has to confirm it.
  case outOfView(MailboxName, count: Int, of: Int)
  /// The server's counters are behind what it showed before: it lags, or was restored from a backup.
  case serverBehind(MailboxName)
  /// The mailbox got another UIDVALIDITY between two openings of one run.
  case uidValidityChanged(MailboxName)
  /// UIDVALIDITY is another at every look, and is the time of day: its UIDs mean nothing.
  case numberedByClock(MailboxName)
  /// The server gave no UIDVALIDITY: its UIDs mean nothing.
  case noUIDValidity(MailboxName)
  /// The server answered, but not with the message.
  case messageNotDelivered(MailboxName, UID, reason: String)
  /// The same of many, of which the first is named.
  case messagesNotDelivered(MailboxName, UID, Int, reason: String)
  /// It is there, and may be what a push looks for.
  case messageNotShown(MailboxName, UID)
  /// A mailbox may be another one's new name, and the server does not show what is in it.
  case mailboxNotShown(MailboxName, mayBe: MailboxName, reason: String)
  /// The connection was lost over a mailbox twice, and a new one could be made.
  case connectionEnds(MailboxName, reason: String)
  /// Not a mailbox that the account mirrors.
  case noSuchMailbox(String, nearest: [String])
  /// The tree is not where it was.
  case treeVanished(path: String)
  /// The account is being removed, or that was interrupted.
  case forgetUnfinished(path: String)
  /// A folder's directory is there and has nothing in it, neither mail nor `cur`, though mail is known to lie there.
  case folderVanished(MailboxName, path: String)
  /// Every directory that could be its own is another mailbox's on this file system.
  case noFolder(MailboxName)
  /// When the mailboxes were listed, another one had this name than has it now.
  case changedHands(MailboxName)
  /// Messages are on their way from one folder to another, and one of them cannot be moved: what lies where is another
  /// thing than the state says, until they all can.
  case folderHalfMoved(from: String, to: String, Explanation)
  /// Another folder is being moved, and until it is, none else can be.
  case folderWaits(for: String, to: String)
  case interrupted

  /// Waiting helps, and has an end: what a message of the mailbox is needed for waits that long.
  package var passesByItself: Bool {
    if case .serverBehind = self { return true }
    return false
  }
}

extension SyncError: Explained {
  package var explanation: Explanation {
    switch self {
    case .listingIncomplete(let name, let missing):
      Explanation(
        problem: "The server's list of “\(name.text.visible)” does not agree with its own count "
          + "(\(missing) missing); nothing was removed.",
        again: "Pull again later.", remedy: "`mirror verify` shows what differs.",
        exitStatus: .inPart)
    case .outOfView(let name, let count, let all):
      Explanation(
        problem:
          "The server shows \(count) of \(all) messages of “\(name.text.visible)” no longer, "
          + "and did not say that they are expunged: nothing of it is removed here.",
        remedy:
          "If they were deleted or moved there, pull with --allow-mass-delete; if this server "
          + "shows only the newest mail, set quirks = [\"partial-view\"]. Until then they wait, and "
          + "with them what you do to them.",
        exitStatus: .inPart)
    case .serverBehind(let name):
      Explanation(
        problem:
          "The server shows less of “\(name.text.visible)” than it did before: it may be a copy of it "
          + "that lags. The mailbox is left as it is.",
        again: "Pull again later.",
        remedy:
          "Once it has been so for 15 minutes, the server counts as restored from a backup.",
        exitStatus: .inPart)
    case .uidValidityChanged(let name):
      Explanation(
        problem:
          "The server renumbered “\(name.text.visible)” (UIDVALIDITY changed) during the run.",
        again: "Pull again: the messages here are matched, not downloaded.", exitStatus: .inPart)
    case .numberedByClock(let name):
      Explanation(
        problem:
          "The server numbers the messages of “\(name.text.visible)” anew whenever it is looked at "
          + "(UIDVALIDITY follows the clock), so it cannot be mirrored: nothing of it was changed here.",
        remedy:
          "Ask the server's administrator for another way to store mail (GNU mailutils does so with Maildir), or leave "
          + "it out with folders = [\"*\", \"!…\"].", exitStatus: .inPart)
    case .noUIDValidity(let name):
      Explanation(
        problem:
          "The server gives no UIDVALIDITY for “\(name.text.visible)”, so it cannot be mirrored safely.",
        remedy: "Leave it out with folders = [\"*\", \"!…\"], or ask the server's administrator.",
        exitStatus: .inPart)
    case .messageNotDelivered(let name, let uid, let reason):
      Explanation(
        problem: "Message \(uid) of “\(name.text.visible)” was skipped: \(reason.visible).",
        remedy: "It is tried again on every run.", exitStatus: .inPart)
    case .messagesNotDelivered(let name, let uid, let count, let reason):
      Explanation(
        problem: count == 1
          ? "Message \(uid) of “\(name.text.visible)” was skipped: \(reason.visible)."
          : "\(count) more messages of “\(name.text.visible)”, from \(uid) on, were skipped: \(reason.visible).",
        remedy: "They are tried again on every run.", exitStatus: .inPart)
    case .messageNotShown(let name, let uid):
      Explanation(
        problem:
          "Message \(uid) of “\(name.text.visible)” may be one that was sent from here, and the server does not "
          + "show what is in it: what is on its way there waits.",
        remedy:
          "It is looked for again on every run. Where that message never shows, move or delete it on the server.",
        exitStatus: .inPart)
    case .mailboxNotShown(let name, let old, let reason):
      Explanation(
        problem:
          "“\(name.text.visible)” may be the new name of “\(old.text.visible)”, and the server does not show "
          + "what is in it (\(reason.visible)): both were left out.",
        again: "Pull again later.",
        remedy:
          "Where it is never shown and is another one, leave it out with folders = "
          + "[\"*\", \"!…\"]: “\(old.text.visible)” counts as deleted on the server then.",
        exitStatus: .inPart)
    case .connectionEnds(let name, let reason):
      Explanation(
        problem:
          "“\(name.text.visible)” was left out: the connection was lost over it twice. The last time: "
          + reason,
        remedy: "It is tried again on every run.", exitStatus: .inPart)
    case .noSuchMailbox(let name, let nearest):
      Explanation(
        problem: "There is no mailbox “\(name.visible)” in this account.",
        remedy: nearest.isEmpty
          ? nil : "Is it one of these? " + nearest.map(\.visible).joined(separator: ", "),
        exitStatus: .usage)
    case .treeVanished(let path):
      Explanation(
        problem: "\(path.visible) is gone, and what is there now lies on another file system than "
          + "before: it looks as if the tree is not mounted. Nothing was touched.",
        remedy: "Mount it. To begin anew instead, make the directory \(path.visible)/.mirror.",
        exitStatus: .refused)
    case .forgetUnfinished(let path):
      Explanation(
        problem: "\(path.visible) is being removed by `mirror forget`, or that was interrupted.",
        remedy: "Run `mirror forget` of that account again: it ends, or all is as it was.",
        exitStatus: .inPart)
    case .folderVanished(let name, let path):
      Explanation(
        problem: "The folder of “\(name.text.visible)” is an empty directory (\(path.visible)): "
          + "it looks as if a disk is not mounted there. Nothing was touched.",
        remedy: "Mount it. To begin the folder anew instead, remove the empty directory.",
        exitStatus: .inPart)
    case .noFolder(let name):
      Explanation(
        problem: "Where the folder of “\(name.text.visible)” belongs another mailbox has its own: "
          + "it is not mirrored.",
        remedy: "Give that folder another name, or the mailbox on the server.", exitStatus: .inPart)
    case .changedHands(let name):
      Explanation(
        problem:
          "While this run was at work, the name “\(name.text.visible)” came to another mailbox of the "
          + "server; it was left out.",
        again: "Pull again: the folders follow.", exitStatus: .inPart)
    case .folderHalfMoved(let old, let new, let reason):
      Explanation(
        problem:
          "The messages of the folder “\(old.visible)” are being moved to “\(new.visible)”, which cannot "
          + "go on: " + reason.problem,
        remedy: reason.remedy, exitStatus: reason.exitStatus)
    case .folderWaits(let other, let place):
      Explanation(
        problem:
          "The mailbox has a new name, and its folder waits: the folder “\(other.visible)” is to be moved "
          + "to “\(place.visible)” first.",
        remedy: "See what was said of that one; the next pull goes on.", exitStatus: .inPart)
    case .interrupted:
      Explanation(
        problem: "Stopped.", remedy: "The next run goes on from here.", exitStatus: .interrupted)
    }
  }
}
