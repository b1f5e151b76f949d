/// What was heard of the tree and not pushed yet.
///
/// A push looks at the whole tree, since a file that is gone from one folder may have come to another; what still has to wait
/// is left for a later one. Deletions and drafts are left, too, while nothing was heard of them: they may have happened just
/// now. Where nothing could be heard, a look sees deletions for the first time, and they wait from then on.
struct PendingPush: Equatable, Sendable {
  let timing: WatchTiming
  private var heard = Heard()
  private var started = Heard()
  private var pushed: Moment?
  private var looked: Moment?
  private var pushedDrafts: Moment?

  private struct Heard: Equatable {
    /// When marks, moves or new files were first heard of.
    var marks: Moment?
    var removals: Moment?
    var drafts: Editing?
    /// When everything is to be looked at.
    var look: Moment?
    /// That look comes because something may have happened unheard.
    var lookIsBlind = false
    var written: Set<String> = []
    /// Events were lost: files may have been written anew anywhere.
    var writtenAnywhere = false
  }

  private struct Editing: Equatable {
    var first: Moment
    var last: Moment
    var folders: Set<String> = []
  }

  init(timing: WatchTiming) { self.timing = timing }

  mutating func add(_ news: TreeNews, at now: Moment) {
    switch news {
    case .marks, .folders: heard.marks = heard.marks ?? now
    case .arrived(let folder):
      heard.marks = heard.marks ?? now
      heard.written.insert(folder)
    case .removed: heard.removals = heard.removals ?? now
    case .draft(let folder):
      heard.drafts = Editing(
        first: heard.drafts?.first ?? now, last: now,
        folders: (heard.drafts?.folders ?? []).union([folder]))
    case .everything:
      heard.writtenAnywhere = true
      look(by: timing.overflow.due(first: now, last: looked), isBlind: true)
    }
  }

  mutating func look(by due: Moment, isBlind: Bool = false) {
    heard.look = earlier(heard.look, due)
    heard.lookIsBlind = heard.lookIsBlind || isBlind
  }

  var due: Moment? {
    earlier(earlier(heard.look, marksDue), earlier(removalsDue, draftsDue))
  }

  private var marksDue: Moment? { heard.marks.map { timing.marks.due(first: $0, last: pushed) } }

  private var removalsDue: Moment? {
    heard.removals.map { timing.removals.due(first: $0, last: pushed) }
  }

  private var draftsDue: Moment? {
    heard.drafts.map { draft in
      let quiet = draft.last + timing.drafts.wait
      let spaced = pushedDrafts.map { $0 + timing.drafts.between } ?? quiet
      return min(max(quiet, spaced), draft.first + timing.drafts.atMost)
    }
  }

  /// Takes out what is due, and all that goes with it.
  mutating func start(at now: Moment) -> PushScope? {
    guard let due, due <= now else { return nil }
    let looks = heard.look.map { $0 <= now } ?? false
    if looks, heard.lookIsBlind { heard.removals = heard.removals ?? now }
    let takesRemovals = heard.removals.map { $0 + timing.removals.wait <= now } ?? looks
    let takesDrafts = draftsDue.map { $0 <= now } ?? looks
    started = heard
    heard.marks = nil
    (heard.written, heard.writtenAnywhere) = ([], false)
    if looks {
      (heard.look, heard.lookIsBlind) = (nil, false)
    } else {
      (started.look, started.lookIsBlind) = (nil, false)
    }
    if takesRemovals { heard.removals = nil } else { started.removals = nil }
    if takesDrafts { heard.drafts = nil } else { started.drafts = nil }
    let written = started.written.union(started.drafts?.folders ?? [])
    return PushScope(
      looksAtAll: looks, leavesDrafts: !takesDrafts, leavesDeletions: !takesRemovals,
      compared: started.writtenAnywhere ? nil : written)
  }

  mutating func ended(_ scope: PushScope, at now: Moment) {
    pushed = now
    if !scope.leavesDrafts { pushedDrafts = now }
    if scope.looksAtAll { looked = now }
  }

  /// Nothing came of a push that had been started.
  mutating func putBack() {
    heard.marks = earlier(heard.marks, started.marks)
    heard.removals = earlier(heard.removals, started.removals)
    let folders = (heard.drafts?.folders ?? []).union(started.drafts?.folders ?? [])
    heard.drafts = heard.drafts ?? started.drafts
    heard.drafts?.folders = folders
    heard.look = earlier(heard.look, started.look)
    heard.lookIsBlind = heard.lookIsBlind || started.lookIsBlind
    heard.written.formUnion(started.written)
    heard.writtenAnywhere = heard.writtenAnywhere || started.writtenAnywhere
  }
}
