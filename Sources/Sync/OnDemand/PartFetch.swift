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
  /// - Throws: ``OnDemandError`` where the message is none of the account's stubs, or the server has it no more.
  package func fetch(section: String, ofFile file: [UInt8]) throws -> FetchedPart {
    let base = MaildirFileName(file).base
    let name = String(decoding: base, as: UTF8.self)
    let state = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { state.shut() }
    guard
      let (mailbox, record) = try state.onDemand(.stub).first(where: { $0.message.name == base }),
      let place = try state.mailboxes().first(where: { $0.id == mailbox }), !place.isGone
    else { throw OnDemandError.fileChanged(name) }
    let session = try factory.openSession()
    defer { session.logout() }
    let connection = RemoteConnection(
      session: session, labels: LabelPolicy(mirrored: [String]()),
      policy: MaildirPolicy(account.sync))
    // A third less comes of what is in base64, where the server can.
    let ways = session.capabilities.contains(.binary) ? [true, false] : [false]
    var refusal: String?
    for isDecoded in ways {
      let sink = PartSink(record.uid)
      var part = BodySection(kind: .part, part: section)
      part.isDecoded = isDecoded
      try connection.withMailbox(MailboxTarget(place)) { remote in
        var requests = [SectionRequest([part], of: UIDSet([record.uid]))]
        try remote.fetch(sections: { requests.popLast() }, into: sink)
        if sink.content == nil, try remote.existing(UIDSet([record.uid])).isEmpty {
          throw OnDemandError.expunged(name)
        }
      }
      if let content = sink.content {
        return FetchedPart(bytes: content, isDecoded: isDecoded)
      }
      refusal = sink.refusal
    }
    throw OnDemandError.refused(name, words: refusal ?? "it sent no part \(section)")
  }
}

/// Keeps one part, whole: a person asked for it, and gets it as a file.
private final class PartSink: SectionSink {
  private let uid: UID
  private var bytes: [UInt8]?
  private(set) var content: [UInt8]?
  private(set) var refusal: String?

  init(_ uid: UID) { self.uid = uid }

  func begins(_ section: BodySection, size: Int) { bytes = section.kind == .part ? [] : nil }
  func bytes(_ piece: UnsafeRawBufferPointer) { bytes?.append(contentsOf: piece) }

  func finished(_ message: FetchedMessage, structure: BodyStructure?) {
    if message.uid == uid, let bytes { content = bytes }
    bytes = nil
  }

  func spoilt() { bytes = nil }
  func answered(_ request: SectionRequest, refusal: String?) { self.refusal = refusal }
}
