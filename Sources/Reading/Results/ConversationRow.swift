import MailIndex

/// The line of one conversation in a list.
package struct ConversationRow: Sendable {
  package var thread: ThreadHit
  package var hasSnippet: Bool

  package init(_ thread: ThreadHit, hasSnippet: Bool = false) {
    self.thread = thread
    self.hasSnippet = hasSnippet
  }

  /// `thread:29394021  Nov 20     2/5  Alice, Bob, Carol       The subject`
  package func line(on page: Page) -> String {
    let (total, new) = (thread.messageCount, thread.unreadCount)
    let text = new > 0 ? "\(new)/\(total)" : "\(total)"
    let count = String(repeating: " ", count: max(0, 6 - text.count)) + text
    let start = "thread:\(thread.id)  \(RowDate.text(thread.latestDate, on: page))"
    let people = thread.names.map(\.readable).joined(separator: ", ")
    let subject = thread.subject.isEmpty ? "(no subject)" : thread.subject.readable
    guard let columns = page.columns else {
      return "\(start)  \(count)  \(DisplayWidth.padded(people, to: 26))  \(subject)"
        + RowSnippet.text(snippet, beside: thread.subject)
    }
    let room = max(1, columns - DisplayWidth.columns(of: start) - count.count - 4)
    let width = room < 30 ? 0 : min(26, room / 3)
    let name = width == 0 ? "" : DisplayWidth.padded(people, to: width) + "  "
    let left = width == 0 ? room : room - width - 2
    let shown = DisplayWidth.cut(subject, to: left)
    let words = RowSnippet.text(
      snippet, beside: thread.subject, columns: left - DisplayWidth.columns(of: shown))
    return page.paint(.dim, start) + "  " + (new > 0 ? page.paint(.bold, count) : count) + "  "
      + name + (new > 0 ? page.paint(.bold, shown) : shown) + page.paint(.dim, words)
  }

  private var snippet: String { hasSnippet ? thread.snippet : "" }
}
