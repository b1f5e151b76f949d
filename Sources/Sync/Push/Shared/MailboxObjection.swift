import IMAPWire
import Ledger
import MailCore
import SyncPlan

extension MailboxRecord {
  /// Why what the server shows is not the mailbox that the state knows.
  func objection(to facts: SelectedMailbox) -> RunProblem? {
    guard let validity = facts.uidValidity, validity.rawValue != 0 else {
      return RunProblem(SyncError.noUIDValidity(mailboxName), mailbox: name)
    }
    if uidValidity != 0, validity.rawValue != uidValidity {
      return RunProblem(
        mailbox: name,
        problem:
          "The server renumbered this mailbox (UIDVALIDITY changed): nothing was sent to it.",
        remedy: "Run `mirror pull`: the messages are matched anew.")
    }
    if let mailboxID, let now = facts.mailboxID, now != mailboxID, uidValidity != 0 {
      return RunProblem(
        mailbox: name,
        problem: "The server has another mailbox under this name: nothing was sent to it.",
        remedy: "Run `mirror pull`: the messages are matched anew.")
    }
    if isRestored(facts) {
      return RunProblem(
        mailbox: name,
        problem:
          "The server's counters went backwards: it looks as if this mailbox was restored from an old "
          + "backup. Nothing was sent to it, and nothing deleted.",
        remedy:
          "Run `mirror pull`: the messages are matched anew, and what the server lost stays here.")
    }
    return nil
  }

  /// An old state of the mailbox that the state knows.
  func isRestored(_ facts: SelectedMailbox) -> Bool {
    uidValidity != 0 && facts.uidValidity?.rawValue == uidValidity
      && wentBackwards(uidNext: facts.uidNext?.rawValue ?? 0, facts.highestModSeq ?? .none)
  }

  /// UIDNEXT and HIGHESTMODSEQ never do, unless an old state of the server came back.
  func wentBackwards(uidNext now: UInt32, _ modSeq: ModSequence) -> Bool {
    if now != 0, uidNext != 0, now < uidNext { return true }
    return modSeq != .none && highestModSeq > 0 && modSeq.rawValue < UInt64(highestModSeq)
  }
}

extension RunProblem {
  static func reusedNumbers(_ mailbox: String) -> RunProblem {
    RunProblem(
      mailbox: mailbox,
      problem:
        "The server has other messages under the numbers of those that were pulled: it looks as if this "
        + "mailbox was filled anew, and nothing was sent to it.",
      remedy: "Run `mirror pull`: the messages are matched anew.")
  }

  static func vanished(_ mailbox: String) -> RunProblem {
    RunProblem(
      mailbox: mailbox,
      problem: "The server no longer has this mailbox: what was to be sent to it waits.",
      remedy: "Run `mirror pull` to see what became of it.")
  }

  static func unpulled(_ mailbox: String) -> RunProblem {
    RunProblem(
      mailbox: mailbox,
      problem:
        "The server has messages in this mailbox that were never pulled: what is here waits.",
      again: "Run `mirror pull`, then push again.")
  }

  /// It is somebody else's, and may hold mail: nothing goes there before a pull.
  static func namesake(_ mailbox: String) -> RunProblem {
    RunProblem(
      mailbox: mailbox,
      problem:
        "The server has a mailbox of this name already, which was not pulled yet: the folder waits.",
      again: "Run `mirror pull`, then push again.")
  }

  static func readOnly(_ mailbox: String, _ rights: MailboxRights? = nil) -> RunProblem {
    RunProblem(
      mailbox: mailbox,
      problem: "The server opens this mailbox read-only\(rights?.quoted ?? ""): your changes stay "
        + "here, and are kept.",
      remedy: "Ask its owner for the right to change it; `mirror push --full` tries again.")
  }
}
