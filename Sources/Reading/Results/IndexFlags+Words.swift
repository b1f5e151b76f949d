import MailIndex

extension IndexFlags {
  private static let names: [(flag: IndexFlags, word: String)] = [
    (.seen, "seen"), (.replied, "replied"), (.flagged, "flagged"), (.draft, "draft"),
    (.trashed, "trashed"), (.passed, "passed"),
  ]

  /// As JSON names them.
  package var words: [String] { Self.names.filter { contains($0.flag) }.map(\.word) }

  /// Four columns for lists: new, draft or trashed; flagged; replied or passed on; attachment.
  package func marks(hasAttachments: Bool) -> String {
    let first = contains(.trashed) ? "T" : contains(.draft) ? "D" : contains(.seen) ? " " : "N"
    let answer = contains(.replied) ? "r" : contains(.passed) ? "f" : " "
    return first + (contains(.flagged) ? "!" : " ") + answer + (hasAttachments ? "@" : " ")
  }
}
