/// What was heard of the tree and not pushed yet.
///
/// All but drafts goes together: a file that is gone from one folder may be the one that came into another, so a push waits
/// until the removals heard of have waited.
struct PendingPush: Equatable, Sendable {
  let timing: WatchTiming
  /// When they were first heard of.
  private var marks: [String: Moment] = [:]
  private var arrivals: [String: Moment] = [:]
  private var removals: [String: Moment] = [:]
  private var drafts: [String: Editing] = [:]
  /// When everything is to be looked at.
  private var lookDue: Moment?
  private var pushed: Moment?
  private var looked: Moment?
  private var pushedDrafts: Moment?
  private var isPushingDrafts = false

  private struct Editing: Equatable {
    var first: Moment
    var last: Moment
  }

  init(timing: WatchTiming) { self.timing = timing }

  mutating func add(_ news: TreeNews, at now: Moment) {
    switch news {
    case .marks(let folder): marks[folder] = marks[folder] ?? now
    case .arrived(let folder): arrivals[folder] = arrivals[folder] ?? now
    case .removed(let folder): removals[folder] = removals[folder] ?? now
    case .draft(let folder): drafts[folder, default: Editing(first: now, last: now)].last = now
    case .folders: look(by: timing.marks.due(first: now, last: pushed))
    case .everything: look(by: timing.overflow.due(first: now, last: looked))
    }
  }

  mutating func look(by due: Moment) { lookDue = earlier(lookDue, due) }

  var due: Moment? { earlier(lookDue, earlier(filesDue, drafts.values.map(due(of:)).min())) }

  private var filesDue: Moment? {
    let marked = earlier(marks.values.min(), arrivals.values.min())
    let removed = removals.values.min()
    guard let first = earlier(marked, removed) else { return nil }
    let dues =
      (marked.map { [timing.marks.due(first: $0, last: pushed)] } ?? [])
      + (removed.map { [timing.removals.due(first: $0, last: pushed)] } ?? [])
    return dues.max().map { min($0, first + timing.marks.atMost) }
  }

  private func due(of draft: Editing) -> Moment {
    let quiet = draft.last + timing.drafts.wait
    let spaced = pushedDrafts.map { $0 + timing.drafts.between } ?? quiet
    return min(max(quiet, spaced), draft.first + timing.drafts.atMost)
  }

  /// Takes out what is due.
  mutating func start(at now: Moment) -> Scope? {
    guard let due, due <= now else { return nil }
    if let lookDue, lookDue <= now {
      isPushingDrafts = !drafts.isEmpty
      (marks, arrivals, removals, drafts, self.lookDue) = ([:], [:], [:], [:], nil)
      return .everything
    }
    var folders: Set<String> = []
    // A file that came somewhere may have been a draft.
    let filesAreDue = filesDue.map { $0 <= now } == true
    let takesDrafts = filesAreDue && !arrivals.isEmpty
    for (folder, draft) in drafts where takesDrafts || self.due(of: draft) <= now {
      folders.insert(folder)
      drafts[folder] = nil
    }
    isPushingDrafts = !folders.isEmpty
    if filesAreDue {
      folders.formUnion(marks.keys)
      folders.formUnion(arrivals.keys)
      folders.formUnion(removals.keys)
      (marks, arrivals, removals) = ([:], [:], [:])
    }
    return .these(folders)
  }

  mutating func ended(_ scope: Scope, at now: Moment) {
    pushed = now
    if isPushingDrafts { pushedDrafts = now }
    if scope == .everything { looked = now }
  }

  /// Nothing came of a push that had been started.
  mutating func putBack(_ scope: Scope, at now: Moment) {
    switch scope {
    case .everything: look(by: now)
    case .these(let folders): for folder in folders { arrivals[folder] = arrivals[folder] ?? now }
    }
  }
}
