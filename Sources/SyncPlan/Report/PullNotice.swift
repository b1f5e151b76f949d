import MailCore

/// What is unusual about a mailbox, and keeps nothing of a pull from being done.
package enum PullNotice: Explained, Equatable {
  /// It looks as if the server was restored from a backup.
  case countersWentBack
  /// It looks as if the server was filled anew.
  case numbersReused
  /// The name has another MAILBOXID (RFC 8474 §4).
  case anotherMailbox
  /// So many messages have no new UID after UIDVALIDITY changed.
  case lostByRenumbering(Int)
  /// So many of them were not shown before that, either.
  case hiddenByRenumbering(Int)
  /// In a tree that came back from a backup are messages that the server no longer has.
  case onlyHere(Int)
  /// So many messages of a push are not shown for longer than a session usually lags.
  case pushNotShown(Int)
  /// So many messages of a push are gone, and others have their UIDs.
  case pushReplaced(Int)
  /// Messages that differ have one identity (EMAILID, X-GM-MSGID).
  case identitiesRepeat
  /// So many files are what another file of the folder is.
  case surplusFiles(Int)
  /// So many files are messages that the server has in other mailboxes, and no longer here.
  case movedOnServer(Int)
  /// So many files may be such ones: not every mailbox was looked into.
  case undecidedFiles(Int)
  /// So many messages may have files in folders of which that is not known.
  case awaitsOthers(Int)
  /// So many files may be messages that the server does not hand out.
  case notDelivered(Int)
  /// So many files cannot be read, and may be any messages.
  case unreadFiles(Int)
  /// So many files are messages that the server may have and not show.
  case notShown(Int)

  /// A mailbox that holds what others hold, and is not mirrored for it, has a folder with mail.
  case viewWithFolder

  /// What stays here is sent by the next push.
  package var leavesPush: Bool {
    switch self {
    case .lostByRenumbering, .pushReplaced: true
    default: false
    }
  }

  package var explanation: Explanation {
    switch self {
    case .countersWentBack:
      Explanation(
        problem:
          "The server's counters went backwards: it looks as if this mailbox was restored from an old backup. "
          + "Nothing is deleted here; the messages are matched anew.", exitStatus: .done)
    case .numbersReused:
      Explanation(
        problem:
          "The server has other messages under the numbers of those that were pulled: it looks as if this "
          + "mailbox was filled anew. Nothing is deleted here; the messages are matched anew.",
        exitStatus: .done)
    case .anotherMailbox:
      Explanation(
        problem:
          "The server has another mailbox under this name. Nothing is deleted here; the messages are matched anew.",
        exitStatus: .done)
    case .viewWithFolder:
      Explanation(
        problem:
          "There is a folder with mail for this mailbox, which is not mirrored by itself, since it holds what "
          + "others hold: the folder stays as it is, and nothing of it is sent.",
        remedy:
          "To mirror it, name it in `folders`. Else move the folder out of the tree, but for what you put "
          + "there yourself: that would count as deleted.",
        exitStatus: .done)
    case .lostByRenumbering(let count):
      Explanation(
        problem:
          "The server renumbered this mailbox, and \(count) messages were not found in it again; "
          + "they stay here, and the next push sends them.", exitStatus: .done)
    case .hiddenByRenumbering(let count):
      Explanation(
        problem:
          "The server renumbered this mailbox, and does not show \(Quantities.count(count, "message")) "
          + "of before in it, which may still be there; they stay here, and are not sent again.",
        exitStatus: .done)
    case .onlyHere(let count):
      Explanation(
        problem:
          "\(count) messages are here that the server no longer has; they stay as local messages.",
        exitStatus: .done)
    case .pushNotShown(let count):
      Explanation(
        problem:
          "The server does not show \(Quantities.count(count, "message")) that it took from "
          + "a push: either it lags, or it was restored from a backup.",
        remedy: "They stay here; after a day, `mirror pull` has the next push send them again.",
        exitStatus: .done)
    case .pushReplaced(let count):
      Explanation(
        problem:
          "\(count) messages that were pushed are gone from the server, which gave their "
          + "UIDs to others: it looks as if it was restored from a backup.",
        remedy: "They stay here; the next push sends them again.", exitStatus: .done)
    case .identitiesRepeat:
      Explanation(
        problem:
          "The server gives the same identity to messages that differ: in this run each message is "
          + "downloaded for itself.", exitStatus: .done)
    case .surplusFiles(let count):
      Explanation(
        problem: (count == 1
          ? "1 file here repeats a message of this folder; it stays, and is "
          : "\(count) files here repeat messages of this folder; they stay, and are ")
          + "never sent to the server.", exitStatus: .done)
    case .movedOnServer(let count):
      Explanation(
        problem: (count == 1
          ? "1 file here is a message that the server has in another folder; it stays, and is "
          : "\(count) files here are messages that the server has in other folders; they stay, and are ")
          + "not sent.",
        remedy: "Remove \(count == 1 ? "it" : "them") when you don't need "
          + "\(count == 1 ? "it" : "them"); a copy under another name is sent.",
        exitStatus: .done)
    case .undecidedFiles(let count):
      Explanation(
        problem: (count == 1
          ? "1 file here may be a message that the server has in another folder; it is "
          : "\(count) files here may be messages that the server has in other folders; they are ")
          + "not sent before a pull has seen every message there.", exitStatus: .done)
    case .awaitsOthers(let count):
      Explanation(
        problem: (count == 1
          ? "1 message may have its file in another folder, where some message was not pulled yet: "
          : "\(count) messages may have their files in other folders, where some messages were not pulled yet: ")
          + "until then this mailbox is not pushed.",
        remedy: "A `mirror pull` of all mailboxes finds out, once the server hands them out.",
        exitStatus: .done)
    case .notDelivered(let count):
      Explanation(
        problem: (count == 1
          ? "1 file here may be a message that the server has in another folder, and does not "
            + "deliver; it is "
          : "\(count) files here may be messages that the server has in other folders, and "
            + "does not deliver; they are ")
          + "not sent before it does.", exitStatus: .done)
    case .unreadFiles(let count):
      Explanation(
        problem: (count == 1
          ? "1 file here cannot be read, and may be a message that the server has: it is "
          : "\(count) files here cannot be read, and may be messages that the server has: they are ")
          + "not sent before a pull could read \(count == 1 ? "it" : "them").",
        remedy: "Look at \(count == 1 ? "its" : "their") owner and permissions, then pull.",
        exitStatus: .done)
    case .notShown(let count):
      Explanation(
        problem: (count == 1
          ? "1 file here is older than what the server shows, which has more than it shows: it "
            + "may be there, stays here, and is "
          : "\(count) files here are older than what the server shows, which has more than it shows: "
            + "they may be there, stay here, and are ")
          + "not sent.",
        remedy: "Once the server shows \(count == 1 ? "it, it is" : "them, they are") matched. "
          + "What it never had is sent with `mirror push --send FILE`, file by file.",
        exitStatus: .done)
    }
  }
}
