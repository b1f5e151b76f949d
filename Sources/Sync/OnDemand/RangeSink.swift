import IMAPWire
import MailCore
import Maildir
import Remote
import SyncPlan

/// Takes one message in ranges, from where an earlier run left off, or at one go where the server does not do as it is
/// asked.
final class RangeSink: SectionSink {
  private let uid: UID
  private let partial: PartialFile
  /// As it was announced.
  private let size: Int
  private let checkInterrupt: () throws -> Void
  private let takesRanges: Bool
  private var asked: Int
  /// Bytes that were here before this run asked for more.
  private let begun: Int
  /// Where the requests end that are not answered yet.
  private var ends: [Int] = []
  /// The literal under way is of the message; it began at ``start``.
  private var isTaken = false
  private var start = 0
  /// All of the message has come; in ranges, as many bytes as were announced.
  private(set) var isWhole: Bool
  /// The server does not answer as it was asked: all of the message is to be fetched at one go.
  private(set) var ignoresRanges = false
  private(set) var refusal: String?
  /// It refuses the message for now, before a byte of it came: others may be let through.
  private(set) var isLimited = false

  /// Two are enough to keep the line busy, and little is lost with it.
  private static let atOnce = 2

  /// - Parameter takesRanges: false for the message at one go.
  init(
    _ uid: UID, size: Int64, into partial: PartialFile, takesRanges: Bool,
    checkInterrupt: @escaping () throws -> Void
  ) {
    self.uid = uid
    self.size = Int(clamping: size)
    self.partial = partial
    self.takesRanges = takesRanges
    self.checkInterrupt = checkInterrupt
    asked = partial.count
    begun = partial.count
    isWhole = takesRanges && partial.count > 0 && partial.count == self.size
  }

  func next() -> SectionRequest? {
    guard !isWhole, !ignoresRanges, refusal == nil else { return nil }
    guard takesRanges else {
      guard asked == 0 else { return nil }
      asked = .max
      ends.append(asked)
      return SectionRequest([BodySection(kind: .whole)], of: UIDSet([uid]))
    }
    guard ends.count < Self.atOnce, asked < size else { return nil }
    // One byte more than is left shows a message that is longer than was announced.
    let left = size - asked
    let length = left > PartialFile.piece ? PartialFile.piece : left + 1
    let request = SectionRequest([.range(from: asked, length: length)], of: UIDSet([uid]))
    asked = min(asked + length, size)
    ends.append(asked)
    return request
  }

  func begins(_ section: BodySection, size: Int) throws {
    isTaken = false
    guard section.kind == .whole, section.part.isEmpty, !isWhole, !ignoresRanges else { return }
    start = partial.count
    guard takesRanges else {
      isTaken = start == 0 && section.origin ?? 0 == 0
      return
    }
    // Never more than was announced, however much the server sends.
    isTaken = isNext(section.origin, size) && size <= self.size - start
    ignoresRanges = !isTaken
  }

  private func isNext(_ origin: Int?, _ size: Int) -> Bool {
    if let origin { return origin == start }
    // It leaves the origin out, or sends all of it.
    return start == 0 && (size == self.size || size == PartialFile.piece)
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    if isTaken { try partial.append(bytes) }
  }

  func finished(_ message: FetchedMessage, structure: BodyStructure?) throws {
    guard isTaken else { return try checkInterrupt() }
    guard message.uid == uid else { return try giveBack() }
    isTaken = false
    isWhole = !takesRanges || partial.count == size
    try partial.sync()
    try checkInterrupt()
  }

  func spoilt() throws {
    try giveBack()
    ignoresRanges = true
  }

  /// What came was no part of the message.
  private func giveBack() throws {
    if isTaken { try partial.cut(to: start) }
    isTaken = false
  }

  /// - Throws: `throttled` where the server has sent some of it, and as much as it does for now: what came is kept, and
  ///   asking in another way would bring no more.
  func answered(_ request: SectionRequest, refusal: TaggedResult?) throws {
    let end = ends.isEmpty ? 0 : ends.removeFirst()
    guard !isWhole else { return }
    if let refusal {
      if refusal.code == .limit || refusal.code == .overQuota {
        if partial.count > begun { throw IMAPError.throttled(seconds: nil, refusal.text.visible) }
        isLimited = true
      }
      self.refusal = self.refusal ?? refusal.text.visible
    }
    // Less came than was asked for, or nothing.
    if partial.count < end { ignoresRanges = true }
  }
}
