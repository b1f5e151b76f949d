import CLISupport
import MIME
import Warnings

/// One part as text: for readers that call a filter, such as aerc and mutt.
struct PartAsText {
  let content: [UInt8]
  let type: String
  let charset: String?

  /// What of warnings belongs to a page, whoever sent it.
  private static let kinds: [MessageWarning.Kind] = [.linkTextDiffers, .hiddenText]

  /// HTML as numbered links, tables and headings; plain text as it is; all of it harmless to a terminal.
  func lines(on page: Page) -> [String] {
    let message = PartAsMessage(content: content, type: type, charset: charset)
    return message.bytes.withUnsafeBytes { bytes in
      let structure = MessageStructure.parse(bytes)
      let rendering = PageRendering(bytes, structure)
      let found = WarningFinder.look(
        at: bytes, structure, pages: rendering.pages, people: .nobody, authorities: [])
      let warnings = found.warnings.filter { Self.kinds.contains($0.kind) }
      let view = TextBody(readable: rendering.text, unfoldsQuotes: true)
      let head = warnings.flatMap { view.lines("! " + $0.text, .warning, on: page) }
      return head + (head.isEmpty ? [] : [""]) + view.lines(on: page)
    }
  }
}
