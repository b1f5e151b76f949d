import IMAPClient
import IMAPWire
import MailCore
import SyncPlan

/// Gathers the answers of a flight that opens a mailbox, or looks at it once more: command 0 does so, the others have
/// roles.
struct DeltaHandler: ResponseHandler {
  enum Role { case searchAll, searchNew, marks, probe }

  let target: MailboxTarget
  let labels: LabelPolicy
  /// Whose marks are wanted; nil: everyone's.
  let known: UIDSet?
  var roles: [Role] = []
  /// Whose size is wanted.
  var probe: UID?
  private var probedSize: Int64?
  private var selected = SelectedMailbox()
  private var isOpen = false
  private(set) var counted: ExistsCount
  private var existsAtListing: Int?
  private var listed: UIDSet?
  private var new = UIDSet()
  private var vanished = UIDSet()
  private var marks = MarkTable()
  private var sizes: [UID: Int64] = [:]
  private var refusal: IMAPError?

  /// - Parameter counted: EXISTS as it was told before.
  init(
    target: MailboxTarget, labels: LabelPolicy, known: UIDSet? = nil,
    counted: ExistsCount = ExistsCount(0)
  ) {
    self.counted = counted
    self.target = target
    self.labels = labels
    self.known = known
  }

  private func role(of command: Int) -> Role? {
    command >= 1 && command <= roles.count ? roles[command - 1] : nil
  }

  mutating func received(_ response: UntaggedResponse, during command: Int) {
    if command == 0 { selected.absorb(response) }
    switch response {
    case .exists(let count): counted.reported(count)
    case .expunge: counted.reported(counted.last - 1)
    case .vanished(let earlier, let uids):
      vanished = vanished.union(uids)
      if !earlier { counted.reported(counted.last - uids.count) }
    case .search(let result):
      // A server may search before it answers a NOOP that it got with the search.
      switch role(of: max(1, command)) {
      case .searchAll: listed = (listed ?? UIDSet()).union(result.uids)
      case .searchNew: new = new.union(result.uids)
      case .marks, .probe, nil: break
      }
    default: break
    }
  }

  mutating func fetched(_ data: FetchData, during command: Int) {
    guard let uid = data.uid else { return }
    if uid == probe, let size = data.size { probedSize = size }
    guard known?.contains(uid) != false, let said = labels.marks(of: data) else { return }
    if let size = data.size { sizes[uid] = size }
    marks.append(uid, said)
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) {
    if command == 0 {
      selected.absorb(result)
      isOpen = result.isOK
      if !result.isOK { refusal = IMAPError(refusing: "EXAMINE", result) }
      return
    }
    guard isOpen, role(of: command) != .probe else { return }
    if !result.isOK {
      refusal = refusal ?? IMAPError(refusing: "UID SEARCH", result)
      return
    }
    switch role(of: command) {
    case .searchAll:
      listed = listed ?? UIDSet()
      existsAtListing = counted.last
    case .searchNew: existsAtListing = counted.last
    case .marks, .probe, nil: break
    }
  }

  /// All UIDs, with EXISTS at that moment.
  ///
  /// - Throws: the server's refusal.
  consuming func listing() throws -> (uids: UIDSet, exists: Int) {
    if let refusal { throw refusal }
    return (listed ?? UIDSet(), existsAtListing ?? counted.last)
  }

  /// - Throws: the server's refusal, or ``SyncError/noUIDValidity(_:)``.
  consuming func delta() throws -> MailboxDelta {
    if let refusal { throw refusal }
    guard let validity = selected.uidValidity, validity.rawValue != 0 else {
      throw SyncError.noUIDValidity(target.name)
    }
    marks.sort()
    var delta = MailboxDelta(
      uidValidity: validity, uidNext: selected.uidNext?.rawValue ?? 0,
      exists: existsAtListing ?? counted.last, highestModSeq: selected.highestModSeq ?? .none)
    delta.listed = listed
    delta.new = new
    delta.vanished = vanished
    delta.marks = marks
    delta.sizes = sizes
    delta.probedSize = probedSize
    delta.mailboxID = selected.mailboxID
    return delta
  }
}

/// EXISTS as it goes up and down in a session.
struct ExistsCount {
  private(set) var last: Int
  /// It was one of the numbers that a Gmail user may limit mailboxes to: what is older may be out of view.
  private(set) var reachedLimit = false

  static let limits = [1000, 2000, 5000, 10_000]

  init(_ count: Int) {
    last = count
    reachedLimit = Self.limits.contains(count)
  }

  mutating func reported(_ count: Int) {
    last = max(0, count)
    if Self.limits.contains(last) { reachedLimit = true }
  }
}
