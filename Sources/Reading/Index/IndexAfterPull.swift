import CLISupport
import MailCore
import MailIndex

/// Brings the index up to date at the end of a pull. What goes wrong is told, and fails nothing: the mail is there.
package enum IndexAfterPull {
  /// Blocks; call it on a thread of its own.
  ///
  /// - Parameter ownAddresses: of the configuration's accounts.
  package static func run(
    root: String, ownAddresses: [String], report: Report, showsProgress: Bool
  ) {
    let view = IndexProgressView(report, isForced: showsProgress)
    defer { view.end() }
    var updater = IndexUpdater(root: root)
    updater.ownAddresses = ownAddresses
    do throws(IndexError) {
      let summary = try updater.run { view.show($0) }
      view.end()
      let told = IndexRunReport(summary: summary)
      told.tellProblems(report)
      report.detail(1, "index: " + told.line)
      report.detail(2, "index: " + told.detail)
    } catch {
      view.end()
      let words = error.explanation
      report.notice("index", words.problem + (words.remedy.map { " " + $0 } ?? ""))
    }
  }
}
