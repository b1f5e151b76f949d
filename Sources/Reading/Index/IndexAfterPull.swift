import CLISupport
import MailCore
import MailIndex

/// Brings the index up to date at the end of a pull. What goes wrong is told, and fails nothing: the mail is there.
package enum IndexAfterPull {
  /// Blocks; call it on a thread of its own.
  ///
  /// - Parameters:
  ///   - ownAddresses: of the configuration's accounts.
  ///   - authorities: as the configuration has them.
  ///   - roles: what their servers say that folders are for.
  ///   - pullTook: seconds; an update that takes longer is a part of the summary.
  ///   - erases: nothing of what the index had before may stay readable in its file.
  /// - Throws: why the index is as it was, which ``tell(_:_:)`` tells.
  package static func update(
    root: String, ownAddresses: [String], authorities: [String: String] = [:],
    roles: ToldRoles = ToldRoles(), report: Report, showsProgress: Bool, pullTook: Double? = nil,
    erases: Bool = false
  ) throws(IndexError) {
    let view = IndexProgressView(report, isForced: showsProgress)
    defer { view.end() }
    var updater = IndexUpdater(root: root)
    updater.ownAddresses = ownAddresses
    updater.roles = roles
    updater.examiner = MailExamination(
      root: root, providers: ProviderNames(root: root, configured: authorities))
    updater.timeForOldMail = .milliseconds(300)
    updater.erases = erases
    let summary = try updater.run { view.show($0) }
    view.end()
    let told = IndexRunReport(summary: summary)
    told.tellProblems(report)
    if let pullTook, isWorthTelling(summary.duration, pullTook) {
      report.line("index: " + told.line)
    } else {
      report.detail(1, "index: " + told.line)
    }
    report.detail(2, "index: " + told.detail)
  }

  /// The index is told of where it took longer than the pull itself, and more than 0.2 s.
  static func isWorthTelling(_ duration: Duration, _ pullTook: Double) -> Bool {
    duration > .seconds(max(pullTook, 0.2))
  }

  package static func tell(_ error: IndexError, _ report: Report) {
    let words = error.explanation
    report.notice("index", words.problem + (words.remedy.map { " " + $0 } ?? ""))
  }
}
