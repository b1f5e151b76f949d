import MailCore
import Maildir
import SyncPlan

/// Pure: what the keyword letters of a file mean that came from another folder.
///
/// Letters mean something only by the `dovecot-keywords` of their folder. `mv` and most readers leave those of the
/// folder that the file came from; Dovecot and this program's own commands give it those of the folder where it is now.
struct LetterReading {
  /// Of the folder that it came from; nil where that is gone.
  var before: DovecotKeywords?
  var now: DovecotKeywords

  /// As they were, if that is what the old table tells; else by the table that has a name for each letter, then by the
  /// one that changes less of what was agreed.
  func keywords(of letters: KeywordLetters, agreed: Keywords) -> Keywords {
    // What could get a letter here would have one, had it come along.
    let here = now.keywords(of: letters).union(now.leftOut(of: agreed))
    guard let before else {
      // As many as before are those of before: nothing is taken off on the server by a guess.
      return Array(letters.indices).count == agreed.count ? agreed : here
    }
    let there = before.keywords(of: letters, agreed: agreed)
    if there == agreed { return there }
    if now.names(letters) != before.names(letters) { return now.names(letters) ? here : there }
    return there.distance(to: agreed) <= here.distance(to: agreed) ? there : here
  }

  /// Whether a file with these letters is as its folder had it when these keywords were agreed.
  func isUntouched(_ letters: KeywordLetters, agreed: Keywords) -> Bool {
    before.map { $0.names(letters) && $0.keywords(of: letters, agreed: agreed) == agreed } ?? false
  }
}

extension DovecotKeywords {
  fileprivate func names(_ letters: KeywordLetters) -> Bool {
    letters.indices.allSatisfy { $0 < names.count && names[$0] != nil }
  }
}

extension Keywords {
  fileprivate func distance(to other: Keywords) -> Int {
    subtracting(other).count + other.subtracting(self).count
  }
}
