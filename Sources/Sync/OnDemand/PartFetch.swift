import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// One part of a message that stayed on the server.
package struct FetchedPart: Sendable {
  package var bytes: [UInt8]
  /// The server undid the transfer encoding.
  package var isDecoded: Bool
}

extension AccountRun {
  /// Fetches one part. Blocks; changes nothing, and waits for no run.
  ///
  /// - Parameter file: the name of the message's file.
  /// - Throws: ``OnDemandError`` where the message is none of the account's stubs, the server has it no more, or what came
  ///   is not all of the part.
  package func fetch(_ part: PartRequest, ofFile file: [UInt8]) throws -> FetchedPart {
    let base = MaildirFileName(file).base
    let name = String(decoding: base, as: UTF8.self)
    let state = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { state.shut() }
    guard
      let (mailbox, record) = try state.onDemand(.stub).first(where: { $0.message.name == base }),
      let place = try state.mailbox(mailbox), !place.isGone
    else { throw OnDemandError.unknownPart(name) }
    let session = try factory.openSession()
    defer { session.logout() }
    let connection = RemoteConnection(
      session: session, labels: LabelPolicy(mirrored: [String]()),
      policy: MaildirPolicy(account.sync))
    // A third less comes of what is in base64, where the server can.
    let ways =
      part.isBase64 && session.capabilities.contains(.binary) ? [true, false] : [false]
    let countsWrong = session.quirks.contains(.wrongSizes)
    var problem = OnDemandError.refused(name, words: "it sent no part \(part.section)")
    for isDecoded in ways {
      var section = BodySection(kind: .part, part: part.section)
      section.isDecoded = isDecoded
      let sink = PartSink(section, of: record.uid)
      try connection.withMailbox(MailboxTarget(place)) { remote in
        var requests = [SectionRequest([section], of: UIDSet([record.uid]))]
        try remote.fetch(sections: { requests.popLast() }, into: sink)
        if sink.content == nil, try remote.existing(UIDSet([record.uid])).isEmpty {
          throw OnDemandError.expunged(name)
        }
      }
      if let content = sink.content {
        if part.mayBe(content.count, isDecoded: isDecoded) || (countsWrong && !isDecoded) {
          return FetchedPart(
            bytes: isDecoded || part.isBase64 ? content : asInFile(content, of: record),
            isDecoded: isDecoded)
        }
        problem = .incomplete(name, got: Int64(content.count), of: part.octets)
      } else if let words = sink.refusal {
        problem = .refused(name, words: words)
      }
    }
    throw problem
  }

  /// With the line ends that the part has in the file of the whole message.
  private func asInFile(_ part: [UInt8], of record: MessageRecord) -> [UInt8] {
    guard MaildirPolicy(account.sync).lineEndings == .lf,
      !record.traits.contains(.keptAsItCame)
    else { return part }
    var isReversible = true
    let converted = [UInt8](unsafeUninitializedCapacity: max(1, part.count)) { room, count in
      guard let start = room.baseAddress else { return }
      let step = part.withUnsafeBytes { LineConverter.toLF($0, into: start, isLast: true) }
      (count, isReversible) = (step.written, step.isReversible)
    }
    return isReversible ? converted : part
  }
}

/// Keeps one part, whole: a person asked for it, and gets it as a file.
private final class PartSink: SectionSink {
  private let section: BodySection
  private let uid: UID
  private var bytes: [UInt8]?
  private(set) var content: [UInt8]?
  private(set) var refusal: String?

  init(_ section: BodySection, of uid: UID) {
    self.section = section
    self.uid = uid
  }

  func begins(_ section: BodySection, size: Int) {
    let isMeant =
      section.kind == .part && section.part == self.section.part && section.origin ?? 0 == 0
    bytes = isMeant && content == nil ? [] : nil
  }

  func bytes(_ piece: UnsafeRawBufferPointer) { bytes?.append(contentsOf: piece) }

  func finished(_ message: FetchedMessage, structure: BodyStructure?) {
    if message.uid == uid, let bytes { content = bytes }
    bytes = nil
  }

  func spoilt() { bytes = nil }
  func answered(_ request: SectionRequest, refusal: TaggedResult?) {
    self.refusal = refusal?.text.visible
  }
}
