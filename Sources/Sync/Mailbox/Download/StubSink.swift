import IMAPWire
import MailCore
import Maildir
import Remote
import SyncPlan

/// Takes the parts of large messages, and hands each over as a stub once all of them are there.
final class StubSink: SectionSink {
  struct Expected {
    let structure: BodyStructure
    let plan: StubPlan
    let size: Int64
  }

  /// Takes a stub's bytes below its line, and how many bytes came for it.
  typealias Delivery = ([UInt8], StubLine, FetchedMessage, Int) throws -> Void

  private let expected: [UID: Expected]
  private let deliver: Delivery
  private let answered: (SectionRequest) -> Void
  private var pieces: [BodySection: [UInt8]] = [:]
  private var section: BodySection?
  private var bytesHeld = 0
  /// What one message's parts may come to.
  private static let mostBytes = 8 << 20

  init(
    expected: [UID: Expected], deliver: @escaping Delivery,
    answered: @escaping (SectionRequest) -> Void = { _ in }
  ) {
    self.expected = expected
    self.deliver = deliver
    self.answered = answered
  }

  func begins(_ section: BodySection, size: Int) {
    self.section = nil
    guard section.origin == nil, bytesHeld + size <= Self.mostBytes, pieces[section] == nil else {
      return
    }
    bytesHeld += size
    self.section = section
    pieces[section] = []
    pieces[section]?.reserveCapacity(size)
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) {
    if let section { pieces[section]?.append(contentsOf: bytes) }
  }

  func finished(_ message: FetchedMessage, structure: BodyStructure?) throws {
    defer { forget() }
    guard let expected = expected[message.uid] else { return }
    // A size that changed meanwhile is another message's.
    guard message.size == nil || message.size == expected.size,
      let line = StubLine(size: UInt64(expected.size), parts: expected.plan.absent),
      let stub = StubAssembly.assemble(
        expected.structure, expected.plan, size: expected.size, pieces: pieces)
    else { return }
    try deliver(stub, line, message, bytesHeld)
  }

  func spoilt() { forget() }

  func answered(_ request: SectionRequest, refusal: TaggedResult?) { answered(request) }

  private func forget() {
    pieces = [:]
    section = nil
    bytesHeld = 0
  }
}
