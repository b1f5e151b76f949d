import Foundation
import MailTestKit

/// What a story may be about besides everyday changes.
enum PushTheme: String, Codable, CaseIterable, Sendable {
  /// Both sides move a message, to the same place or to two.
  case movesOnBothSides
  /// Mailboxes are renamed and made anew, and the server's marks for Trash and Drafts pass to others.
  case roles
  /// Mailboxes whose names a person can't tell apart.
  case twins
  /// One account on two machines, and its tree carried between them.
  case machines
  /// A folder is replaced by an older copy of it.
  case olderCopies
  /// A watch runs all along, and nothing else brings the two sides together.
  case watched

  /// `MIRROR_TEST_THEMES=roles,twins` plays these, in each story.
  private static let asked = ProcessInfo.processInfo.environment["MIRROR_TEST_THEMES"].map {
    $0.split(separator: ",").compactMap { PushTheme(rawValue: String($0)) }
  }

  /// Of one story; from numbers of their own, so that a theme more leaves the other stories as they were.
  static func drawn(_ seed: UInt64) -> Set<PushTheme> {
    if let asked { return Set(asked) }
    var random = SeededGenerator(seed: seed ^ 0x7468_656d_6573)
    // Half of all stories are about everyday changes alone, the others about one thing more: of two together a person
    // could not say either what ought to come of them.
    return random.chance(0.5) ? [random.pick(allCases.filter { $0 != .watched })] : []
  }
}
