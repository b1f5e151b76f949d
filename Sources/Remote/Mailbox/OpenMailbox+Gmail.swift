import IMAPClient
import IMAPWire
import MailCore

/// What Gmail says of one message.
package struct GmailFacts: Equatable {
  /// As ``MessageRecord/identity`` has it.
  package var identity: String
  /// But for the label of the open mailbox.
  package var labels: [String]
  package var flags: MessageFlags
}

extension OpenMailbox {
  /// What is not there, or not reported, is left out.
  package func gmailFacts(of uids: UIDSet) throws -> [UID: GmailFacts] {
    guard !uids.isEmpty else { return [:] }
    checkIsOpen()
    try openIfNeeded()
    var probe = GmailProbe(asked: uids)
    try session.run(
      chunks(uids, besides: 100).map { .uidFetch($0, [.gmailIDs, .gmailLabels, .flags]) },
      handler: &probe)
    if let refusal = probe.refusal { throw IMAPError(refusing: "UID FETCH", refusal) }
    return probe.facts
  }
}

private struct GmailProbe: ResponseHandler {
  let asked: UIDSet
  private(set) var facts: [UID: GmailFacts] = [:]
  private(set) var refusal: TaggedResult?

  mutating func fetched(_ data: FetchData, during command: Int) {
    guard let uid = data.uid, asked.contains(uid), let identity = data.identity,
      let labels = data.gmailLabels
    else {
      return
    }
    facts[uid] = GmailFacts(
      identity: identity, labels: labels, flags: data.marks?.flags ?? MessageFlags())
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) {
    if !result.isOK { refusal = refusal ?? result }
  }
}
