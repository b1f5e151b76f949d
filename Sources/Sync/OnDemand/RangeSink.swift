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
  private let size: Int64
  private let checkInterrupt: () throws -> Void
  private var asked: Int
  private var inFlight = 0
  /// What the literal under way is.
  private var literal: Literal?
  /// The end of the message has come.
  private(set) var isWhole = false
  /// The server does not answer as it was asked: all of the message is to be fetched at one go.
  private(set) var ignoresRanges = false
  private(set) var refusal: String?
  private let takesRanges: Bool

  private enum Literal {
    case range(Int)
    case whole
  }

  /// Two are enough to keep the line busy, and little is lost with it.
  private static let atOnce = 2

  /// - Parameter takesRanges: false for the message at one go.
  init(
    _ uid: UID, size: Int64, into partial: PartialFile, takesRanges: Bool,
    checkInterrupt: @escaping () throws -> Void
  ) {
    self.uid = uid
    self.size = size
    self.partial = partial
    self.takesRanges = takesRanges
    self.checkInterrupt = checkInterrupt
    asked = partial.count
  }

  func next() -> SectionRequest? {
    guard !isWhole, !ignoresRanges, refusal == nil else { return nil }
    guard takesRanges else {
      guard asked == 0 else { return nil }
      asked = 1
      return SectionRequest([BodySection(kind: .whole)], of: UIDSet([uid]))
    }
    // Past the size that was announced there is only more where the last range came in full.
    guard inFlight < Self.atOnce, Int64(asked) < max(size, 1) || inFlight == 0 else { return nil }
    let request = SectionRequest(
      [.range(from: asked, length: PartialFile.piece)], of: UIDSet([uid]))
    asked += PartialFile.piece
    inFlight += 1
    return request
  }

  func begins(_ section: BodySection, size: Int) throws {
    literal = nil
    guard section.kind == .whole, !isWhole, !ignoresRanges else { return }
    if !takesRanges {
      guard partial.count == 0, section.origin ?? 0 == 0 else { return }
      literal = .whole
    } else if section.origin == partial.count, size <= PartialFile.piece {
      literal = .range(size)
    } else if section.origin == nil, partial.count == 0 {
      // It leaves the origin out, or sends all of it.
      literal = size == PartialFile.piece && self.size > Int64(size) ? .range(size) : .whole
    } else {
      ignoresRanges = true
    }
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    if literal != nil { try partial.append(bytes) }
  }

  func finished(_ message: FetchedMessage, structure: BodyStructure?) throws {
    defer { literal = nil }
    try checkInterrupt()
    guard message.uid == uid else { return }
    switch literal {
    case .whole: isWhole = true
    case .range(let count):
      isWhole = count < PartialFile.piece
      try partial.sync()
    case nil: break
    }
  }

  func spoilt() { ignoresRanges = true }

  func answered(_ request: SectionRequest, refusal: String?) {
    inFlight -= 1
    if !isWhole, let refusal { self.refusal = self.refusal ?? refusal }
    // Nothing came, though asked for.
    if !isWhole, !takesRanges || partial.count < asked - inFlight * PartialFile.piece {
      ignoresRanges = true
    }
  }
}
