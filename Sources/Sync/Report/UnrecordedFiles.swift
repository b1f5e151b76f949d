import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// The files of a folder that no record tells of, as a check counts them: they wait for a push, but for those that repeat
/// messages.
struct UnrecordedFiles {
  struct Finding {
    let problem: String
    var remedy: String?
    var exit = ExitStatus.done
  }

  let mailbox: MailboxKey
  let folder: MaildirFolder
  let scan: FolderScan
  let store: StateStore
  let policy: MaildirPolicy

  private struct Counts {
    var here = 0
    var inPart = 0
    var moved = 0
    var notShown = 0
    var local = 0
  }

  private struct Surplus {
    var here: [NameHash: ContentHash] = [:]
    var moved: [NameHash: ContentHash] = [:]
    var notShown: [NameHash: ContentHash] = [:]
    var all: Set<NameHash> = []
  }

  func findings() throws -> [Finding] {
    let counts = try counts()
    var findings: [Finding] = []
    findings += Self.surplus(
      counts.here, one: "1 file here repeats a message of this folder; it is",
      many: "files here repeat messages of this folder; they are")
    if counts.inPart > 0 {
      let what =
        counts.inPart == 1
        ? "1 file here has but a part of a message that this folder has whole; it is"
        : "\(counts.inPart) files here have but parts of messages that this folder has whole; they are"
      findings.append(
        Finding(
          problem: "\(what) never sent to the server.",
          remedy: "`mirror fill` removes what is no longer needed."))
    }
    findings += Self.surplus(
      counts.moved, one: "1 file here is a message that the server has in another folder; it is",
      many: "files here are messages that the server has in other folders; they are")
    if counts.notShown > 0 {
      let words = PullNotice.notShown(counts.notShown).explanation
      findings.append(
        Finding(problem: words.problem, remedy: words.remedy, exit: words.exitStatus))
    }
    if counts.local > 0 {
      let files =
        counts.local == 1
        ? "1 file here is no message of the server's: a local one"
        : "\(counts.local) files here are no messages of the server's: local ones"
      findings.append(Finding(problem: "\(files), not pushed."))
    }
    return findings
  }

  private static func surplus(_ count: Int, one: String, many: String) -> [Finding] {
    guard count > 0 else { return [] }
    let files = count == 1 ? one : "\(count) \(many)"
    let them = count == 1 ? "it" : "them"
    return [
      Finding(
        problem: "\(files) never sent to the server.",
        remedy: "Remove \(them) when you don't need \(them).")
    ]
  }

  private func counts() throws -> Counts {
    var known: [NameHash] = []
    try store.forEachName(in: mailbox) { _, name in known.append(NameHash(of: name)) }
    known.sortAscending()
    let surplus = try surplus()
    var counts = Counts()
    var failure: (any Error)?
    try FolderScan.unknown(in: folder, known: known) { file in
      do {
        let kind = try kind(of: file, among: surplus)
        counts[keyPath: kind] += 1
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return counts
  }

  private func kind(of file: MessageFile, among surplus: Surplus) throws
    -> WritableKeyPath<Counts, Int>
  {
    // A command may have written the file's keywords line anew since.
    let names = [file.baseHash] + RewrittenName.earlier(than: file.base).map { NameHash(of: $0) }
    func isOne(of files: [NameHash: ContentHash]) throws -> Bool {
      try names.lazy.compactMap { files[$0] }.first.map { try holds($0, file) } ?? false
    }
    if try isOne(of: surplus.here) { return \.here }
    if try names.contains(where: surplus.all.contains) && isLeftover(file) { return \.inPart }
    if try isOne(of: surplus.moved) { return \.moved }
    return try isOne(of: surplus.notShown) ? \.notShown : \.local
  }

  /// Contents of surplus files by the hash of their names, as long as the messages that they repeat are here, or in
  /// another mailbox, or may only not be shown.
  private func surplus() throws -> Surplus {
    let surplus = try store.surplus(in: mailbox)
    guard !surplus.isEmpty else { return Surplus() }
    let wanted = Set(surplus.map(\.contentHash))
    var here = Set<ContentHash>()
    try store.forEachMessage(in: mailbox) { message in
      guard wanted.contains(message.contentHash), !message.isPruned,
        !message.traits.contains(.expunged), scan.find(base: message.name) != nil
      else { return }
      here.insert(message.contentHash)
    }
    var elsewhere = Set<ContentHash>()
    for other in try store.mailboxes() where !other.isGone && other.id != mailbox {
      elsewhere.formUnion(
        try store.contents(in: other.id, among: wanted.subtracting(here)).keys)
    }
    func names(_ contents: Set<ContentHash>) -> [NameHash: ContentHash] {
      Dictionary(
        surplus.filter { contents.contains($0.contentHash) }.map { ($0.nameHash, $0.contentHash) }
      ) { first, _ in first }
    }
    let notShown = try store.surplusOutOfView(in: mailbox)
    return Surplus(
      here: names(here), moved: names(elsewhere),
      notShown: Dictionary(
        surplus.filter { notShown.contains($0.nameHash) }.map { ($0.nameHash, $0.contentHash) },
        uniquingKeysWith: { $1 }),
      all: Set(surplus.map(\.nameHash)))
  }

  /// Whether it has but a part of a message of which the folder has all.
  private func isLeftover(_ file: MessageFile) throws -> Bool {
    let digest: MessageDigest
    do throws(MaildirError) {
      digest = try folder.digest(of: file, policy: policy)
    } catch {
      if error.stopsRun { throw error }
      return false  // It went away, or cannot be read.
    }
    guard digest.isStub else { return false }
    var isOne = false
    try store.forEachMessage(in: mailbox) { message in
      isOne =
        isOne
        || !message.isPruned && !message.traits.contains(.expunged) && message.isOtherForm(digest)
    }
    return isOne
  }

  /// Whether the file still holds this content: a person may have edited it.
  private func holds(_ contentHash: ContentHash, _ file: MessageFile) throws -> Bool {
    do throws(MaildirError) {
      return try folder.digest(of: file, policy: policy).contentHash == contentHash
    } catch {
      if error.stopsRun { throw error }
      return false  // It went away, or cannot be read.
    }
  }
}
