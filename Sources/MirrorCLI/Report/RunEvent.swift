/// What came of an account's run, as a line of `jsonl`: the object that `json` has, with the key `event` of all such
/// lines.
///
/// The keys that `watch` has for the same event are among them.
struct RunEvent<Summary: Encodable>: Encodable {
  enum Name: String, Encodable {
    case pulled, pushed, synced, filled, stubbed, reverted
  }

  let event: Name
  let summary: Summary
  /// Of a push: new messages and drafts, which the summary calls uploaded.
  var sent: Int?

  init(_ event: Name, _ summary: Summary, sent: Int? = nil) {
    (self.event, self.summary, self.sent) = (event, summary, sent)
  }

  private enum CodingKeys: String, CodingKey { case event, sent }

  func encode(to encoder: any Encoder) throws {
    try summary.encode(to: encoder)
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(event, forKey: .event)
    try keys.encodeIfPresent(sent, forKey: .sent)
  }
}
