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
    // A message of this part and nothing else, for the readers that know messages.
    let label = (charset ?? "").filter { $0.isASCII && !$0.isWhitespace && $0 != "\"" }
    var bytes = Array("Content-Type: \(type)".utf8)
    if !label.isEmpty { bytes += Array("; charset=\"\(label)\"".utf8) }
    bytes += Array("\nContent-Transfer-Encoding: 8bit\n\n".utf8) + content
    return bytes.withUnsafeBytes { bytes in
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
