import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State

/// Files held against what the server itself says and sends of their messages: the state may believe in a wrong file.
///
/// The size came with the flags. Where it is another than the file's, the header is fetched, too: what other programs
/// add to a header makes no other message.
struct ContentComparison {
  struct Finding {
    var uid: UID
    var problem: String
    var remedy: String?
    var exit = ExitStatus.inPart
  }

  /// What is to be compared of a file once the server sent it.
  private struct Held {
    var digest: MessageDigest
    /// RFC822.SIZE, where the file is not as long.
    var announced: Int64?
    /// Bytes behind the header as the server would count them: both numbers where the file does not tell whether its
    /// line ends came so.
    var bodySizes: [Int64] = []
    var isInSample = false
  }

  private let policy: MaildirPolicy
  private let options: VerifyOptions
  private var sizes: [UID: Int64] = [:]
  private var sample = UIDSet()
  private var held: [UID: Held] = [:]
  private var findings: [Finding] = []
  /// A push had to add a line end to what has none (``Quirk/finalLineEnd``).
  private var serverAddsLineEnd = false
  private(set) var sizesCompared = 0
  private(set) var headersCompared = 0
  private(set) var bodiesCompared = 0
  /// Answers that are held in memory at a time.
  private static let batch = 2000

  init(policy: MaildirPolicy, options: VerifyOptions) {
    self.policy = policy
    self.options = options
  }

  /// - Parameters:
  ///   - sizes: as the server announces them; empty where it is not believed.
  ///   - shared: what the server has, and ought to have a file here.
  mutating func begin(sizes: [UID: Int64], shared: UIDSet) {
    self.sizes = sizes
    if let count = options.sample {
      sample = UIDSet(Array(shared.uids).shuffled().prefix(count).sorted())
    }
  }

  /// Takes one file that is as its record says.
  mutating func compare(
    _ message: MessageRecord, _ file: MessageFile, _ folder: MaildirFolder, _ digest: MessageDigest
  ) throws(MaildirError) {
    // Of a stub header and size tell all that can be told without fetching the message.
    var one = Held(
      digest: digest, isInSample: sample.contains(message.uid) && !digest.isStub)
    if let announced = sizes[message.uid] {
      sizesCompared += 1
      if announced != Int64(clamping: digest.serverSize) {
        one.announced = announced
        one.bodySizes = try bodySizes(message, file, folder, digest)
      }
    }
    guard options.headers || one.isInSample || one.announced != nil else { return }
    held[message.uid] = one
  }

  private func bodySizes(
    _ message: MessageRecord, _ file: MessageFile, _ folder: MaildirFolder, _ digest: MessageDigest
  ) throws(MaildirError) -> [Int64] {
    func size(_ digest: MessageDigest, _ header: [UInt8]) -> Int64 {
      let isAsSent = digest.asCame || policy.lineEndings == .crlf
      let lineEnds = isAsSent ? 0 : header.count { $0 == UInt8(ascii: "\n") }
      return Int64(clamping: digest.serverSize) - Int64(header.count + lineEnds)
    }
    let header = try folder.header(of: file, policy: policy, limit: LocalFolder.longestHeader)
    var sizes = [size(digest, header)]
    // How line ends of an adopted file came is a guess.
    if message.traits.contains(.adopted) {
      let other = try folder.digest(of: file, asCame: !digest.asCame, policy: policy)
      sizes.append(size(other, header))
    }
    // An upload with line ends of both kinds, or of the other kind than its tree's, comes back with CRLF from many servers.
    let bare = header.indices.count {
      header[$0] == UInt8(ascii: "\n") && ($0 == 0 || header[$0 - 1] != UInt8(ascii: "\r"))
    }
    let size = try folder.sizeWithCRLF(of: file, policy: policy)
    sizes.append(Int64(clamping: size) - Int64(header.count + bare))
    return sizes
  }

  // MARK: Asking

  /// Fetches what is to be compared, many messages at a time.
  mutating func finish(_ remote: borrowing OpenMailbox) throws -> [Finding] {
    serverAddsLineEnd = remote.addsLineEnd
    let headers = UIDSet(
      held.filter { options.headers || $0.value.announced != nil }.keys.sorted())
    try inBatches(headers, .headers, remote)
    let bodies = UIDSet(held.filter(\.value.isInSample).keys.sorted())
    try inBatches(bodies, .bodies, remote)
    held = [:]
    return findings.sorted { $0.uid < $1.uid }
  }

  private mutating func inBatches(
    _ uids: UIDSet, _ wanted: FetchRequest.Wanted, _ remote: borrowing OpenMailbox
  ) throws {
    var rest = uids
    while !rest.isEmpty {
      let (some, others) = rest.splitNewest(Self.batch)
      let probe = try remote.digests(of: some, whole: wanted == .bodies)
      for uid in some.uids {
        guard let own = held[uid] else { continue }
        guard let found = probe.found[uid] else {
          let what = wanted == .headers ? "header" : "bytes"
          let words = probe.refusal.map { " (\($0.visible))" } ?? ""
          findings.append(
            Finding(uid: uid, problem: "The server does not show its \(what)\(words)."))
          continue
        }
        if wanted == .bodies { bodiesCompared += 1 }
        if wanted == .headers, options.headers { headersCompared += 1 }
        let finding =
          wanted == .bodies ? compareBody(uid, found, own) : compareHeader(uid, found, own)
        if let finding {
          findings.append(finding)
          held[uid] = nil  // Once is enough.
        }
      }
      rest = others
    }
  }

  private static let remedy =
    "Move the file out of the tree: then `mirror revert` brings the server's message."

  private func compareHeader(_ uid: UID, _ found: DigestProbe.Found, _ own: Held) -> Finding? {
    if found.headerHash != own.digest.headerHash, options.headers {
      return Finding(
        uid: uid, problem: "Its file has another header than the server's message.",
        remedy: Self.remedy)
    }
    guard let announced = own.announced else { return nil }
    let body = announced - Int64(clamping: found.size)
    let isAsLong =
      own.bodySizes.contains(body) || serverAddsLineEnd && own.bodySizes.contains(body - 2)
    guard !isAsLong || found.headerHash != own.digest.headerHash else { return nil }
    return Finding(
      uid: uid,
      problem:
        "Its file is \(own.digest.serverSize) bytes long, as the server would count it, and the server's message "
        + "\(announced).",
      remedy: Self.remedy + " Where the server counts wrong, set quirks = [\"wrong-sizes\"].")
  }

  private func compareBody(_ uid: UID, _ found: DigestProbe.Found, _ own: Held) -> Finding? {
    guard !found.holds(own.digest.contentHash) else { return nil }
    return Finding(
      uid: uid, problem: "Its file holds other bytes than the server's message.",
      remedy: Self.remedy)
  }
}
