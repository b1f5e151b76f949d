import Ledger
import MailCore
import Maildir

extension PushPlan {
  /// The plan as a person would say it, in its order.
  package func actions(_ mailboxes: [MailboxRecord]) -> [PushAction] {
    var summary = PushSummary(account: "")
    for action in all(names(mailboxes)) { summary.add(action) }
    return summary.actions
  }

  private func names(_ mailboxes: [MailboxRecord]) -> (MailboxKey) -> String {
    let names = Dictionary(
      mailboxes.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    return { names[$0] ?? "?" }
  }

  private func all(_ name: (MailboxKey) -> String) -> [PushAction] {
    var all: [PushAction] = []
    all += renames.map { PushAction(.rename, mailbox: name($0.mailbox), detail: $0.name) }
    all += creations.map { PushAction(.create, mailbox: $0.name) }
    all += marks.map {
      PushAction(.mark, mailbox: name($0.mailbox), detail: MarkDelta($0).description)
    }
    all += moves.map {
      PushAction(.move, mailbox: name($0.from), detail: $0.to.map(name) ?? $0.file.folder.text)
    }
    all += uploads.map { upload in
      if let source = upload.source {
        return PushAction(.copy, mailbox: name(source.mailbox), detail: name(upload.mailbox))
      }
      return PushAction(
        upload.replaces == nil ? .upload : .replace, mailbox: name(upload.mailbox))
    }
    all += deletions.map { PushAction($0.way.action, mailbox: name($0.mailbox)) }
    return all + unfinished(name)
  }

  /// What this plan leaves undone, with the reasons.
  package func unfinished(_ name: (MailboxKey) -> String) -> [PushAction] {
    held.map {
      PushAction(.held, mailbox: name($0.mailbox), detail: $0.reason.words, count: $0.count)
    }
      + waiting.map {
        PushAction(.waiting, mailbox: name($0.mailbox), detail: $0.reason.words, count: $0.count)
      } + edits.map { PushAction(.edited, mailbox: name($0.mailbox)) }
  }
}

extension PushPlan.PlannedDeletion.Way {
  var action: PushAction.Kind {
    switch self {
    case .trash: .trash
    case .expunge: .expunge
    case .unlabel: .unlabel
    }
  }
}

extension PushPlan.HeldDeletions.Reason {
  package var words: String {
    switch self {
    case .halfOfFolder(let expected): "of \(expected) in this folder"
    case .tooMany(let total): "\(total) in this run"
    case .halfInDay(let count, let expected): "\(count) of \(expected) within a day"
    case .tooManyInDay(let total): "\(total) within a day"
    case .nothingLeft(let total): "nothing is left of \(total) in all folders"
    case .folderGone: "the folder itself is gone"
    case .folderReplaced: "the folder is another directory than before"
    case .unreadable(let file): "“\(file.visible)” cannot be read, and may be one of them"
    case .hidden(let folder): "“\(folder.visible)” can be no folder, and may hold them"
    case .earlier: "held back by an earlier run"
    }
  }
}

extension PushPlan.WaitingChanges.Reason {
  package var words: String {
    switch self {
    case .pullFirst: "a pull has to finish first"
    case .readOnly: "the mailbox takes no changes"
    case .notMirrored(let folder): "now in “\(folder.text.visible)”, which is not mirrored"
    case .leftOut: "moved out of this folder, which is not mirrored any more"
    case .goneMailbox(let folder):
      "now in “\(folder.text.visible)”, the folder of a mailbox that the server no longer has"
    case .nameRefused(let folder): "the server refuses the name of “\(folder.text.visible)”"
    case .underWay: "sent, and not found on the server yet"
    case .unmounted: "found in another folder while this one's disk seems not to be mounted"
    case .unread(let folder): "the folder “\(folder.visible)” cannot be read"
    case .outOfView: "the server shows the message no longer, and did not say that it is gone"
    case .hidden: "the server may have the message and not show it, so the file is not sent"
    case .stub: "only a part of the message is in the file, and it cannot be told of which one"
    case .partIsLeft(let file):
      "“\(file.visible)” has but a part of the message, and the server has the only whole one"
    case .likeIsLeft(let file):
      "“\(file.visible)” may be this message, and looks as if it lacked parts: as long as it is not sent, the server has "
        + "the only copy"
    case .partMayBeLeft(let place):
      "the server may have the only whole message, and what is left of it here may lie in “\(place.visible)”, "
        + "which cannot be looked into"
    case .setAside: "`mirror revert` was interrupted when it set their files aside"
    case .outsideWindow: "the file is a message that the window leaves out, and is not sent"
    case .textOutsideWindow:
      "the file holds another text of a message that the window leaves out, and exists only here"
    case .unprovenOutsideWindow:
      "the file is named after a message that the window leaves out and that is not known whole: its text may exist only "
        + "here"
    }
  }
}

extension PushPlan.WaitingChanges.Reason {
  /// The advice to run something again, where that is all.
  package var again: String? {
    self == .pullFirst ? "Run `mirror pull`, then push again." : nil
  }

  /// What else a person can do about it.
  package var remedy: String? {
    switch self {
    case .pullFirst: nil
    case .readOnly:
      "Ask the mailbox's owner for the right to change it; `mirror push --full` tries again."
    case .notMirrored: "Move them to a folder that is mirrored, or mirror that one."
    case .leftOut: "Move them back, or mirror the folder again and run `mirror pull`."
    case .goneMailbox: "Move them to another folder."
    case .nameRefused:
      "Give the folder another name, or its old one; `mirror push --full` tries again."
    case .underWay: "It is looked for again on every push."
    case .unmounted:
      "Mount the disk; where there is none, and the messages were moved, remove the empty directory."
    case .unread: "Make the folder readable."
    case .stub:
      "Keep the file. Where its message is in another folder or account, or the file can be put back there, get it whole "
        + "with `mirror fill`, and copy or move that one. Where the whole message is here already, remove the file."
    case .partIsLeft:
      "To keep the message, put that file back (`mirror revert` brings one back, too) and get it whole with `mirror fill`; "
        + "then move it. To delete it for good, remove that file, too."
    case .likeIsLeft:
      "Push all accounts again: a file that is as it was pulled is sent, and then the deletion follows. Else put it back "
        + "(`mirror revert` brings it back, too), and move it as it is."
    case .partMayBeLeft:
      "Make it readable, or mount its disk; remove a link that leads nowhere. Then push again."
    case .setAside:
      "Run `mirror revert` again: it ends what it began, and `mirror undo` has the files."
    case .outsideWindow: "Machines that share a tree need the same `window`."
    case .textOutsideWindow: "To send it as a new message, save it under a new name."
    case .unprovenOutsideWindow:
      "`mirror pull --since DATE` gets the message and shows whether it is the same; to send the file as a new one, save it "
        + "under a new name."
    case .hidden:
      "Put the file back where it was; there `mirror push --send FILE` sends it as new mail, if it is that."
    case .outOfView:
      "It is done when the message is shown again; `mirror pull --allow-mass-delete` takes it for deleted."
    }
  }
}

extension PushPlan.WaitingChanges.Reason {
  /// 0 for what a push was not asked for.
  package var exitStatus: ExitStatus {
    switch self {
    case .outsideWindow, .textOutsideWindow, .unprovenOutsideWindow: .done
    case .pullFirst, .readOnly, .notMirrored, .leftOut, .goneMailbox, .nameRefused, .underWay,
      .unmounted,
      .unread, .outOfView, .hidden, .stub, .partIsLeft, .likeIsLeft, .partMayBeLeft, .setAside:
      .inPart
    }
  }
}

extension MarkDelta: CustomStringConvertible {
  /// `+seen -flagged +topic`
  package var description: String {
    (Self.words("+", added) + Self.words("-", removed)).joined(separator: " ")
  }

  private static func words(_ sign: String, _ marks: MessageMarks) -> [String] {
    let flags = flagNames.filter { marks.flags.contains($0.1) }.map {
      sign + $0.0.drop { $0 == "\\" || $0 == "$" }
    }
    return flags + marks.keywords.map { sign + $0.visible }
  }
}
