import GRDB

/// What a run left open that was cut short. The next one finishes it before it does anything else;
/// until then some tables wait for others.
struct Interruption {
  let isUnderWay: Bool
  /// Only a build from nothing can bring it back.
  let isTextGone: Bool
  let isStale: Bool
  let isRecountDue: Bool

  var isAny: Bool { isUnderWay || isStale || isRecountDue }

  init(_ db: Database) throws {
    let stage = try IndexStore.fact(BulkAdditions.underWayFact, db) ?? 0
    isUnderWay = stage > 0
    isTextGone = stage == SearchMerge.isReplacing
    isStale = try IndexStore.fact(ThreadChanges.staleFact, db) == 1
    isRecountDue = try IndexStore.fact(AddressRecount.dueFact, db) == 1
  }
}
