import CLISupport
import Foundation
import IMAPWire
import MailIndex
import Reading
import Settings
import State

/// One line below a search that finds little: what lies on the server only, and how to look there.
struct OlderMail {
  let config: String?
  /// With fewer results a person may miss something.
  private static let little = 10

  /// Only at a terminal, and where the query may mean something so old.
  func tell(_ session: ReadingSession, _ query: QueryNode, _ count: Int) {
    guard count < Self.little, session.format == .text, session.report.console.outputIsTerminal,
      let starts = try? windowStarts(root: session.root), !starts.isEmpty
    else { return }
    let query = ServerQuery(node: query, text: "")
    let older = starts.filter { query.mayMean(before: $0.start) }
    guard let latest = older.map(\.start).max() else { return }
    let day = Date(timeIntervalSince1970: Double(latest)).formatted(
      .iso8601.year().month().day())
    let names = older.map(\.account).joined(separator: ", ")
    session.report.notice(
      session.report.program,
      "mail before \(day) lies on the server only (\(names)): --server looks there, too.")
  }

  /// Where the windows of the tree's accounts begin, of those that leave something out.
  private func windowStarts(root: String) throws -> [(account: String, start: Int64)] {
    let environment = ProcessInfo.processInfo.environment
    let configuration = try Configuration.load(
      path: config ?? Configuration.defaultPath(environment: environment),
      environment: environment, knownQuirks: QuirkSettings.names)
    guard configuration.root == root else { return [] }
    return try configuration.accounts.filter { $0.sync.window != .all }.compactMap { account in
      let state = try StateStore(
        path: root + "/" + account.name + "/.mirror/state.db", durable: false, readOnly: true)
      defer { state.shut() }
      let starts = try state.mailboxes().filter { !$0.isGone && !$0.keepsNothing }
        .compactMap(\.windowStart)
      return starts.max().map { (account.name, $0) }
    }
  }
}
