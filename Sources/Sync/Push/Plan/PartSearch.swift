import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Looks through mail outside of the account for files that seem to lack parts of messages which are to be deleted.
struct PartSearch {
  private let messages: [MessageRecord]
  private let policy: MaildirPolicy
  /// Of own messages of which parts are missing, or were.
  private let headers: Set<HeaderHash>
  private let wanted: Set<HeaderHash>
  /// Some are known to be stubs, or to have been: then files without any word of ours in their first bytes count, too.
  let hasStubs: Bool
  private(set) var found: [PartLeft] = []
  private(set) var looks: BesideLooks

  private static let longestHeader = 32 << 10
  /// No stub is longer.
  private static let longestStub = 16 << 20

  init(
    _ messages: [MessageRecord], policy: MaildirPolicy, headers: Set<HeaderHash>,
    _ witness: TreeWitness
  ) {
    self.messages = messages
    self.policy = policy
    self.headers = headers
    wanted = Set(messages.map(\.headerHash))
    hasStubs = messages.contains(where: \.hasBeenStub)
    looks = BesideLooks(witness)
  }

  /// - Returns: for people, what could not be read.
  mutating func look(
    into places: [MailBeside.Place], _ ledger: OtherLedger?, isAccount: Bool
  ) -> [String] {
    var unread: [String] = []
    var parts: [PartLeft] = []
    for place in places {
      let isRead =
        if let ledger {
          ledger.provesKnown(place) || look(intoAccounts: place, ledger.names, &parts)
        } else {
          look(intoOthers: place, &parts)
        }
      if !isRead { unread.append(place.path) }
    }
    guard !parts.isEmpty else { return unread }
    // Of what that account's server has whole, too, a part there is no loss.
    let known =
      ledger?.contents(among: Set(messages.filter { !$0.isStub }.map(\.contentHash))) ?? []
    let messages = messages.filter { $0.isStub || !known.contains($0.contentHash) }
    found += parts.filter { part in
      messages.contains(where: part.mayBeLeft)
        // Where nothing is sent, a whole message is what a person wanted there.
        || isAccount && messages.contains(where: part.isWhole)
    }
    return unread
  }

  private func look(
    intoAccounts place: MailBeside.Place, _ known: Set<NameHash>, _ parts: inout [PartLeft]
  ) -> Bool {
    place.forEachFile { file throws(MaildirError) in
      if known.contains(file.baseHash) { return }
      let head = try file.head(Self.longestHeader)
      try add(file, head, in: place, &parts)
    }
  }

  /// Where no ledger knows the files, all have to be read, once.
  private mutating func look(intoOthers place: MailBeside.Place, _ parts: inout [PartLeft]) -> Bool
  {
    let looked = BesideLooks.now
    guard let directory = try? place.facts() else { return false }
    var first: Int64 = 0
    if !hasStubs {
      switch looks.unread(directory) {
      case .none:
        looks.keep(directory)
        return true
      case .since(let time): first = time
      }
    }
    var isQuiet = true
    let isRead = place.forEachFile { file throws(MaildirError) in
      if first > 0, try file.changed() < first { return }
      let head = try file.head(Self.longestHeader)
      let isMarked = PartMark.isFound(in: head.bytes)
      if isMarked { isQuiet = false }
      if isMarked || hasStubs { try add(file, head, in: place, &parts) }
    }
    if isRead, isQuiet { looks.add(directory, looked: looked) }
    return isRead
  }

  private func add(
    _ file: MailBeside.File, _ head: (bytes: [UInt8], fileSize: Int64), in place: MailBeside.Place,
    _ parts: inout [PartLeft]
  ) throws(MaildirError) {
    let begun = PartLeft(head.bytes, fileSize: head.fileSize, policy: policy)
    // Without a stub's line, or a part's near the beginning, only the header tells whether more of it has to be read.
    let headerHash = begun?.headerHash ?? policy.headerHash(of: head.bytes)
    guard begun != nil || wanted.contains(headerHash) else { return }
    var bytes = head.bytes
    let isBegun = head.fileSize > Int64(bytes.count)
    if isBegun, begun?.size == nil || messages.contains(where: { begun?.mayBeWhole($0) == true }) {
      bytes = try file.head(Self.longestStub).bytes
    }
    guard var part = begun?.size == nil ? PartLeft(bytes, policy: policy) : begun else { return }
    part.isOfKnownHeader = headers.contains(headerHash)
    part.compare(bytes, with: messages)
    part.place = place.path + "/" + String(decoding: file.name, as: UTF8.self)
    if messages.contains(where: part.concerns) { parts.append(part) }
  }
}
