import MailCore

/// One message's flags and keywords on three sides, and what follows (promise 1).
package struct MarkPlan: Sendable, Equatable {
  /// What the local file should carry; nil when it does already.
  package var local: MessageMarks?
  /// The new merge base.
  package var agreed: MessageMarks

  package static func plan(agreed: MessageMarks, local: MessageMarks, remote: MessageMarks)
    -> MarkPlan
  {
    plan(MergedMessage(wasFound: false), agreed: agreed, local: local, remote: remote)
  }

  /// Of a file that was found, not delivered.
  package static func adopting(local: MessageMarks, remote: MessageMarks) -> MarkPlan {
    plan(MergedMessage(wasFound: true), agreed: MessageMarks(), local: local, remote: remote)
  }

  private static func plan(
    _ message: MergedMessage, agreed: MessageMarks, local: MessageMarks, remote: MessageMarks
  ) -> MarkPlan {
    let base =
      switch Rules.mergeBase.outcome(of: message) {
      case .whatWasAgreed: agreed
      case .whatBothHave: common(local, remote)
      }
    let merged = MessageMarks.merged(agreed: base, local: local, remote: remote)
    return MarkPlan(local: merged == local ? nil : merged, agreed: remote)
  }

  /// What both sides carry, and \Deleted where the file has it: of that mark the server's word counts, as if the message
  /// were downloaded. A server without UIDPLUS leaves the message that was moved on marked; its mark must reach no other
  /// message by way of a file that is like it.
  package static func common(_ local: MessageMarks, _ remote: MessageMarks) -> MessageMarks {
    MessageMarks(
      flags: local.flags.intersection(remote.flags.union(.deleted)),
      keywords: local.keywords.intersection(remote.keywords))
  }
}
