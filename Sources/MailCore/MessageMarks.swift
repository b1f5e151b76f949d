/// Everything a person can set on a message without changing it: flags and keywords.
package struct MessageMarks: Hashable, Sendable {
  package var flags: MessageFlags
  package var keywords: Keywords

  package init(flags: MessageFlags = [], keywords: Keywords = .none) {
    self.flags = flags
    self.keywords = keywords
  }

  /// Three-way merge, each flag and keyword on its own: what either side changed since `agreed` wins.
  ///
  /// A mark has two states, so two sides that both changed it changed it to the same state.
  package static func merged(agreed: MessageMarks, local: MessageMarks, remote: MessageMarks)
    -> MessageMarks
  {
    let flags = remote.flags.union(local.flags.subtracting(agreed.flags))
      .subtracting(agreed.flags.subtracting(local.flags))
    if local.keywords == agreed.keywords {
      return MessageMarks(flags: flags, keywords: remote.keywords)
    }
    let added = local.keywords.subtracting(agreed.keywords)
    let removed = agreed.keywords.subtracting(local.keywords)
    return MessageMarks(
      flags: flags, keywords: remote.keywords.union(added).subtracting(removed))
  }
}
