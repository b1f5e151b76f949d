import CLISupport
import MIME
import MailCore
import MailIndex

extension FoundAttachment {
  /// `[2] report.pdf, application/pdf, 12 kB  ! script`
  func line(on page: Page) -> String {
    let name = (fileName ?? "").isEmpty ? "without a name" : (fileName ?? "").readable
    let words = "[\(section.readable)] \(name), \(mediaType.readable), \(Quantities.bytes(size))"
    return words + (isHere ? "" : "  not here") + warningWords(on: page)
  }

  /// Empty where nothing is to be warned of.
  func warningWords(on page: Page) -> String {
    guard let warning else { return "" }
    let words = DangerousType(name: warning)?.warning ?? warning.readable
    return "  " + page.paint(.warning, "! " + words)
  }
}
