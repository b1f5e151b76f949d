import Foundation
import MailTestKit
import Testing

/// Real servers, as different as Debian has them, each with everything that a person does: the tree is the server's, a
/// second run changes nothing, and no command is sent that the server does not announce.
///
/// Three rows run with all other tests; the others with `contrib/test --long servers`, or those whose names hold
/// `MIRROR_TEST_ROWS`. Each run prints its table.
@Suite(.onWaitingThreads, .serialized, .enabled(if: Machine.hasProgram)) struct ServerMatrixTests {
  private static var rows: [MatrixRow] {
    if let named = ProcessInfo.processInfo.environment["MIRROR_TEST_ROWS"] {
      return MatrixRow.all.filter { $0.name.localizedCaseInsensitiveContains(named) }
    }
    return MatrixRow.all.filter { Machine.long || $0.isAlways }
  }

  @Test func `every server holds what it can do`() throws {
    var table = MatrixTable()
    for row in Self.rows {
      guard row.isInstalled else {
        Issue.record("\(row.name) is not installed")
        continue
      }
      let began = monotonicSeconds()
      let cells = try Self.cells(of: row)
      table.add(row.name, cells, seconds: monotonicSeconds() - began)
      for (column, cell) in cells {
        guard case .failed(let problems) = cell else { continue }
        Issue.record("\(row.name), \(column.rawValue): \(problems.joined(separator: "\n"))")
      }
    }
    print(table.text)
  }

  private static func cells(of row: MatrixRow) throws -> [MatrixColumn: MatrixCell] {
    var cells: [MatrixColumn: MatrixCell] = [:]
    let run = try MatrixRun(row)
    for column in MatrixColumn.allCases {
      if let reason = row.unable[column] {
        cells[column] = .leftOut(reason)
        continue
      }
      do {
        let reason = try run.fill(column)
        let problems = run.takeProblems()
        if !problems.isEmpty {
          cells[column] = .failed(problems)
        } else if let reason {
          cells[column] = .leftOut(reason)
        } else {
          cells[column] = .held
        }
      } catch {
        cells[column] = .failed(run.takeProblems() + ["\(error)"])
      }
    }
    return cells
  }
}
