import MailCore
import Maildir
import SyncPlan

/// What would be lost, for people, and what they can do about it.
extension AtStake {
  /// For people.
  package var reasons: [String] {
    var reasons: [String] = []
    if !changes.isEmpty {
      reasons.append(Quantities.count(changes.count, "change") + " not pushed")
    }
    if !onlyHere.isEmpty {
      reasons.append(Quantities.count(onlyHere.count, "message") + " nowhere but here")
    }
    if !edits.isEmpty {
      reasons.append(Quantities.count(edits.count, "edited message") + " that no push sends")
    }
    if !differing.isEmpty {
      reasons.append(
        Quantities.count(differing.count, "message")
          + (differing.count == 1 ? " that holds" : " that hold")
          + " something else than the server's")
    }
    if !leftOut.isEmpty {
      reasons.append(
        Quantities.count(leftOut.count, "change")
          + " in mailboxes that the configuration leaves out")
    }
    if !unmatched.isEmpty {
      reasons.append(
        Quantities.count(unmatched.count, "message")
          + " of which no state tells whether the server has them")
    }
    let kinds: [(one: String, kinds: [AccountContents.Foreign])] = [
      ("file", [.file, .other]), ("link", [.link]), ("disk", [.disk]),
    ]
    for (one, kinds) in kinds {
      let names = foreign.filter { kinds.contains($0.value) }.keys.sorted()
      guard let first = names.first else { continue }
      reasons.append(
        Quantities.count(names.count, one) + " that \(names.count == 1 ? "is" : "are") no mail "
          + "(\(first.visible)\(names.count > 1 ? ", …" : ""))")
    }
    return reasons + doubts.keys.sorted()
  }

  /// What a person can do about what no push carries out.
  package var remedies: [String] {
    var words: [String] = []
    if !onlyHere.isEmpty {
      words.append(
        "What a push does not send, lies in folders that are not mirrored, or whose mailbox is gone: move it to another "
          + "folder, or copy it elsewhere.")
    }
    if !edits.isEmpty {
      words.append(
        "What was edited, copy to a new file in its folder: a push sends that as a new message; the edit itself "
          + "`mirror revert` sets aside. Where the window leaves the message out, give the file another name instead."
      )
    }
    if !differing.isEmpty {
      words.append(
        "`mirror status` and `mirror verify` tell what holds something else: keep its file elsewhere, if it is yours."
      )
    }
    if !leftOut.isEmpty { words.append(LeftOutChanges.remedy) }
    if !unmatched.isEmpty {
      words.append("Run `mirror pull`: it matches what lies here with the server.")
    }
    words += Set(doubts.values).subtracting([""]).sorted()
    if foreign.values.contains(where: { $0 != .disk }) {
      words.append("What is no mail, move away.")
    }
    if foreign.values.contains(.disk) { words.append("Unmount the other disk.") }
    return words
  }
}
