import Ledger
import MailCore
import Maildir

/// Who wins when this side and the server differ: the rules of promises 1, 3, 4 and 5 (`Sources/README.md`).
///
/// Each table is about one thing that happened. Its rows are read from the top, and the first that holds counts:
/// `here` is what a person did to the tree, `there` what is so on the server, as far as it was told. The planners find
/// out whether a condition holds; what follows from it is decided here. Three things are decided elsewhere: how marks are
/// merged (`MessageMarks.merged` for pulls, `MarkDelta` and `MarkStore` for pushes, `DraftMarks` for drafts), what becomes
/// of a message that both sides changed in ways that no table has (`BothSidesTests`), and what a refusal leads to
/// (`RefusalBook`).
enum Rules {
  // MARK: The server shows a message no longer (promise 3)

  static let notShown: [Rule<NotShown, NotShown.Outcome>] = [
    // A push brought it there, and by its UIDNEXT the server has not come so far yet.
    Rule(there: \.isBeyondUIDNext, .waitForServer),
    // It was out of view before, and the server still says nothing of an expunge.
    Rule(there: \.isOutOfView, .keepOutOfView),
    // VANISHED is believed where what is left is just what EXISTS counts.
    Rule(there: \.isVanishedInDoubt, .askForList),
    Rule(there: \.isVanished, .unlink),
    // The server shows only its newest messages: what is older is not expunged.
    Rule(there: \.isBelowView, .leave),
    // The lists of servers like this one differ from look to look, and no earlier one left it out.
    Rule(there: \.isMissedOnce, .waitForSecondLook),
    // Many are left out, and all that remain are newer: perhaps this server, too, shows only its newest.
    Rule(there: \.isManyOfTheOldest, .keepOutOfView),
    Rule(there: \.isLeftOutOfWholeList, .unlink),
    // The list is longer than EXISTS says, and leaves out nothing.
    Rule(there: \.isNothingInLongList, .leave),
    Rule(.doubtList),
  ]

  // MARK: Flags and keywords (promise 1)

  /// Against what the two sides are merged: since then each change of either side counts, flag by flag.
  static let mergeBase: [Rule<MergedMessage, MergedMessage.Base>] = [
    // A file that was found, not delivered: nothing was ever agreed, and neither side loses a mark.
    Rule(here: \.wasFound, .whatBothHave),
    Rule(.whatWasAgreed),
  ]

  // MARK: A file lies elsewhere (promise 5)

  /// Which of several files with a missing message's content is that message: those of an earlier row come first.
  static let likeness: [@Sendable (FilePair) -> Bool] = [
    // The same folder, and a name that differs by rewrites only: a copy elsewhere may have that name, too.
    { $0.isInSameFolder && $0.isRewritten },
    { $0.hasSameName },
    { $0.isRewritten },
    { $0.isInSameFolder },
    // They are each other's equals.
    { _ in true },
  ]

  // MARK: A known message was changed here

  /// Moved, edited, marked or deleted.
  static let changed: [Rule<ChangedHere, Sending>] = [
    // The mailbox, or this kind of change, was refused too often to be asked for again.
    Rule(there: \.takesNoChanges, .wait(.readOnly)),
    Rule(there: \.refusesThisChange, .wait(.readOnly)),
    // An interrupted push asked for something, and nobody knows yet whether it was done.
    Rule(there: \.mayBeDone, .wait(.underWay)),
    // The server did not have it any more when it was asked.
    Rule(there: \.hasLostIt, .wait(.pullFirst)),
    Rule(there: \.showsItNoLonger, .wait(.outOfView)),
    Rule(.send),
  ]

  private static func waits(_ change: ChangedHere) -> Bool { changed.outcome(of: change) != .send }

  /// To another folder.
  static let moved: [Rule<MovedHere, Sending>] = [
    // Its mailbox gets the folder's new name, and the message goes along.
    Rule(here: \.isInRenamedFolder, .leave),
    // A revert took its file away, and this is another with its text.
    Rule(here: \.change.isSetAside, .wait(.setAside)),
    // No pull would look for what becomes of it.
    Rule(there: \.isOutOfUnmirrored, .wait(.leftOut)),
    // What keeps any change waiting.
    Rule(there: { waits($0.change) }, { changed.outcome(of: $0.change) }),
    Rule(there: \.targetTakesNoChanges, .waitAtTarget(.readOnly)),
    Rule(there: \.refusesThisTarget, .wait(.readOnly)),
    // What lies there may be the server's, half pulled.
    Rule(there: \.isTargetHalfPulled, .wait(.pullFirst)),
    Rule(here: \.isInFolderWithMailbox, .send),
    Rule(there: \.refusesFolderName) { .wait(.nameRefused($0.folder)) },
    Rule(here: \.isInFolderToBeMatched, .wait(.pullFirst)),
    Rule(there: \.hasLostFolder) { .wait(.goneMailbox($0.folder)) },
    Rule { .wait(.notMirrored($0.folder)) },
  ]

  /// Its text.
  static let edited: [Rule<EditedHere, Sending>] = [
    // What keeps any change waiting.
    Rule(there: { waits($0.change) }, { changed.outcome(of: $0.change) }),
    // It would take the place of a message of which it has but a part.
    Rule(here: \.isStub, .keepHere),
    // The edited draft takes the place of the server's.
    Rule(here: \.isDraft, .send),
    // Servers cannot change a message.
    Rule(.keepHere),
  ]

  /// Its flags or keywords.
  static let marked: [Rule<MarkedHere, Sending>] = [
    // They are sent with the draft that takes its place.
    Rule(here: \.isReplaced, .leave),
    // The mailbox cannot keep any of them.
    Rule(there: \.keepsNone, .leave),
    Rule { changed.outcome(of: $0.change) },
  ]

  /// Its file is nowhere any more.
  static let missing: [Rule<MissingHere, Sending>] = [
    // A revert took it away, and was cut off.
    Rule(here: \.change.isSetAside, .wait(.setAside)),
    // What keeps any change waiting.
    Rule(there: { waits($0.change) }, { changed.outcome(of: $0.change) }),
    // Another machine that shares the tree has left it behind: on the server it stays.
    Rule(here: \.isOutsideWindow, .leave),
    // What is left of it here has but a part, or may have, and is not sent.
    Rule(here: \.mayBeLastWhole) { missing in missing.reasonToKeep.map { .wait($0) } ?? .send },
    Rule(.send),
  ]

  // MARK: A new file

  static let new: [Rule<NewHere, Sending>] = [
    Rule(there: \.takesNoChanges, .wait(.readOnly)),
    Rule(there: \.refusesUploads, .wait(.readOnly)),
    // It may be a message that a pull left half way (promise 2), or that the server moved here.
    Rule(there: \.mayBePulled, .wait(.pullFirst)),
    // The server may have it, and not show it.
    Rule(there: \.mayBeHidden, .wait(.hidden)),
    // An interrupted push sent it, and nobody knows yet whether it arrived.
    Rule(there: \.mayHaveArrived, .wait(.underWay)),
    // It may have been moved out of a folder that cannot be read.
    Rule(here: \.mayComeFromUnreadFolder) { .wait(.unread($0.unreadFolder ?? "")) },
    // Only a part of a message would be sent.
    Rule(here: \.lacksParts, .wait(.stub)),
    // A message with its content is moved out of this mailbox, and stands for both there until it is gone.
    Rule(here: \.repeatsLeavingMessage, .sendAfterMove),
    Rule(here: \.repeatsMovedMessage, .leave),
    Rule(.send),
  ]

  // MARK: Deletions (promise 4); all but `doubt` and `deletion` are asked where --allow-mass-delete is not given

  /// Nothing is deleted while something unread may be one of the missing messages.
  static let doubt: [Rule<TreeChanges, PushPlan.HeldDeletions.Reason?>] = [
    Rule(here: \.hasUnreadPlace) { .unreadable($0.unreadPlace ?? "") },
    Rule(here: \.hasHidingPlace) { .hidden($0.hidingPlaces.first ?? "") },
    Rule(nil),
  ]

  /// What is missing from one folder, taken together.
  static let folderLoss: [Rule<FolderLoss, PushPlan.HeldDeletions.Reason?>] = [
    Rule(here: \.isFolderGone, .folderGone),
    Rule(here: \.isFolderReplaced, .folderReplaced),
    Rule(here: \.isHalfOfFolder) { .halfOfFolder(expected: $0.expected) },
    Rule(here: \.isHalfInDay) {
      .halfInDay(count: $0.inDay?.count ?? 0, expected: $0.inDay?.size ?? 0)
    },
    // However few each of the folders had: a tree without any mail is hardly a whole one.
    Rule(here: \.isAllOfTree) { .nothingLeft(total: $0.expectedInTree) },
    Rule(nil),
  ]

  /// One message, whatever else is missing.
  static let messageLoss: [Rule<MessageLoss, PushPlan.HeldDeletions.Reason?>] = [
    // A folder that was made anew, or new mail in it, confirms nothing: it waits until its file is back.
    Rule(here: \.wasHeldBefore) { $0.hold.map { .earlier($0) } },
    Rule(nil),
  ]

  /// What is missing in all folders that pass ``folderLoss``.
  static let runLoss: [Rule<RunLoss, PushPlan.HeldDeletions.Reason?>] = [
    // All that is missing from this folder waits already, and not because of the run's sum.
    Rule(here: \.isNothing, nil),
    Rule(here: \.isTooMuchInRun) { .tooMany(total: $0.inRun) },
    Rule(here: \.isTooMuchInDay) { .tooManyInDay(total: $0.inDay) },
    Rule(nil),
  ]

  /// How a deletion is carried out.
  static let deletion: [Rule<DeletionPlace, PushPlan.PlannedDeletion.Way>] = [
    // The settings want it so.
    Rule(here: \.expungesAll, .expunge),
    Rule(there: \.isTrash, .expunge),
    Rule(.trash),
  ]
}
