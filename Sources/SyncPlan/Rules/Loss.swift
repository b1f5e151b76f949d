import Ledger
import MailCore

/// From how many messages on a deletion looks like an accident.
enum MassDeletion {
  /// So many messages of one folder may always go.
  static let fewest = 20
  /// More in one run, or in one day of what was there when that began, are never a person's everyday.
  static let most = 200

  static func isHalf(_ count: Int, of all: Int) -> Bool { count > fewest && count * 2 >= all }

  /// More than one person deletes at once, in one mailbox.
  static func isMass(_ count: Int, of all: Int) -> Bool { count > most || isHalf(count, of: all) }
}

/// All that is missing from one folder.
struct FolderLoss {
  let isFolderGone: Bool
  /// Other directories are in the folder's place.
  let isFolderReplaced: Bool
  let count: Int
  /// Messages that ought to have a file in the folder, and in all folders.
  let expected: Int
  let expectedInTree: Int
  /// Nothing is left in any folder.
  let isTreeEmpty: Bool
  /// With what pushes of the day deleted: of the messages that were there before one of them, half are gone.
  let inDay: (count: Int, size: Int)?

  var isHalfOfFolder: Bool { MassDeletion.isHalf(count, of: expected) }
  var isHalfInDay: Bool { inDay != nil }
  var isAllOfTree: Bool { isTreeEmpty && expectedInTree > MassDeletion.fewest }
}

/// One missing message.
struct MessageLoss {
  let uid: UID
  /// What an earlier run held back in its mailbox.
  let hold: DeletionHold?

  var wasHeldBefore: Bool { hold?.holds(uid) == true }
}

/// What is missing in all folders together, and counts in this run.
struct RunLoss {
  /// From the folder that is asked about.
  let inFolder: Int
  let inRun: Int
  /// With what pushes of the day deleted.
  let inDay: Int

  var isNothing: Bool { inFolder == 0 }
  var isTooMuchInRun: Bool { inRun > MassDeletion.most }
  var isTooMuchInDay: Bool { inDay > MassDeletion.most }
}

/// Where a message is deleted from.
struct DeletionPlace {
  let expungesAll: Bool
  let isTrash: Bool
}

extension TreeChanges {
  /// A file or folder that cannot be read: it may be, or hold, a missing message.
  var unreadPlace: String? { unreadable.first ?? unreadFolders.first }
  var hasUnreadPlace: Bool { unreadPlace != nil }
  var hasHidingPlace: Bool { !hidingPlaces.isEmpty }
}
