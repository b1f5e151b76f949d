import IMAPWire
import MailCore

/// Which messages the mailbox that is open has.
extension IMAPSession {
  /// A command that names a UID which is gone passes it over. Some servers carry it out on another message instead (dbmail;
  /// GNU mailutils, which also reads UIDs in SEARCH as sequence numbers, and does not say who it is). So where nothing is
  /// known of a server, and it is as plain as those are, messages are looked for before they are named.
  package var passesOverMissingUIDs: Bool {
    !quirks.contains(.actsOnNextUID) && (capabilities.contains(.condstore) || !families.isEmpty)
  }

  /// Flags given to APPEND are there afterwards. Where that is not known they are stored after it: what the server lost
  /// would look as if another client had taken it off.
  package var keepsFlagsOfAppend: Bool {
    !quirks.contains(.flagsAfterAppend) && passesOverMissingUIDs
  }

  /// Asks which of these are there; the answers may name others, too.
  package func looks(for uids: UIDSet) -> [IMAPCommand] {
    guard passesOverMissingUIDs else { return [.uidSearch(.all)] }
    return uids.chunks(textLength: maximumCommandLength - 100).map { .uidSearch(.uids($0)) }
  }

  /// The same for so many as one command can name.
  package func look(for chunk: UIDSet) -> IMAPCommand {
    .uidSearch(passesOverMissingUIDs ? .uids(chunk) : .all)
  }
}
