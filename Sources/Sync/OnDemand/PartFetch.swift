import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

extension AccountRun {
  /// One part of a message that stayed on the server, as the message transfers it. Blocks; changes nothing, and waits for
  /// no run.
  ///
  /// - Parameter file: the name of the message's file.
  /// - Throws: ``OnDemandError`` where the message is none of the account's stubs, or the server has it no more.
  package func fetch(section: String, ofFile file: [UInt8]) throws -> [UInt8] {
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
    let sink = PartSink(record.uid)
    try connection.withMailbox(MailboxTarget(place)) { remote in
      var requests = [
        SectionRequest([BodySection(kind: .part, part: section)], of: UIDSet([record.uid]))
      ]
      try remote.fetch(sections: { requests.popLast() }, into: sink)
      if sink.content == nil, try remote.existing(UIDSet([record.uid])).isEmpty {
        throw OnDemandError.expunged(name)
      }
    }
    guard let content = sink.content else {
      throw OnDemandError.refused(name, words: sink.refusal ?? "it sent no part \(section)")
    }
    return content
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
