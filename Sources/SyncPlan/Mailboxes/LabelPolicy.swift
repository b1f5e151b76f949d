import IMAPWire
import MailCore

/// Which of the server's keywords and Gmail labels become keywords here.
///
/// A label that is a mirrored mailbox says nothing that the folder does not say; system labels have their own
/// mailbox or flag. `\Important` and `\Muted` have neither, and stay.
package struct LabelPolicy: Sendable {
  private let mirrored: Set<String>
  private static let withOwnPlace: Set<String> = [
    "\\inbox", "\\sent", "\\draft", "\\drafts", "\\starred", "\\trash", "\\spam", "\\junk", "\\all",
    "\\allmail", "\\archive",
  ]

  package init(mirrored: some Sequence<String>) { self.mirrored = Set(mirrored.map(Keywords.fold)) }

  package func marks(of data: FetchData) -> MessageMarks? {
    guard let marks = data.marks else { return nil }
    guard let labels = data.gmailLabels, !labels.isEmpty else { return marks }
    let kept = labels.filter {
      let folded = Keywords.fold($0)
      return !mirrored.contains(folded) && !Self.withOwnPlace.contains(folded)
    }
    return MessageMarks(flags: marks.flags, keywords: marks.keywords.union(Keywords(kept)))
  }
}

extension FetchData {
  /// The server's identity for the message across mailboxes.
  package var identity: String? { emailID ?? gmailMessageID.map { "gm:" + String($0, radix: 16) } }
}
