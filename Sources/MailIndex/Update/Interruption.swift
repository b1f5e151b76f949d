import GRDB

/// What a run left open that was cut short. The next one finishes it before it does anything else;
/// until then some tables wait for others.
struct Interruption {
  let isUnderWay: Bool
  let isStale: Bool
  let isRecountDue: Bool

  var isAny: Bool { isUnderWay || isStale || isRecountDue }

  init(_ db: Database) throws {
    isUnderWay = try IndexStore.fact(BulkAdditions.underWayFact, db) == 1
    isStale = try IndexStore.fact(ThreadChanges.staleFact, db) == 1
    isRecountDue = try IndexStore.fact(AddressRecount.dueFact, db) == 1
  }
}
