import MailCore

/// Messages that the ledger has and the server does not show, all for one reason.
struct NotShown {
  enum Reason {
    case beyondUIDNext, outOfView, vanished, belowView, missedOnce, leftOut
    /// Left out, and nothing that remains is older.
    case oldest
  }
  enum Outcome: Sendable {
    case leave, waitForServer, waitForSecondLook, keepOutOfView, unlink, askForList, doubtList
  }

  let reason: Reason
  let count: Int
  /// By how many the messages that would remain are more than EXISTS.
  var excess = 0
  /// Servers of this kind name messages in VANISHED that are there.
  var vanishedIsDoubtful = false
  /// More than one person deletes at once.
  var isMany = false

  var isBeyondUIDNext: Bool { reason == .beyondUIDNext }
  var isOutOfView: Bool { reason == .outOfView }
  var isVanished: Bool { reason == .vanished }
  var isVanishedInDoubt: Bool { isVanished && (excess != 0 || vanishedIsDoubtful && count > 0) }
  var isBelowView: Bool { reason == .belowView }
  var isMissedOnce: Bool { reason == .missedOnce }
  var isManyOfTheOldest: Bool { reason == .oldest && isMany }
  var isLeftOutOfWholeList: Bool { (reason == .leftOut || reason == .oldest) && excess == 0 }
  var isNothingInLongList: Bool { reason == .leftOut && excess > 0 && count == 0 }
}
