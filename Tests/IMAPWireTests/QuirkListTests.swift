import Foundation
import IMAPWire
import Testing

/// `Tests/QUIRKS.md` and the manual page name every quirk, and the tests that the list names are there.
struct QuirkListTests {
  private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private struct Row {
    var cells: [String]
    /// What stands between backquotes in a cell.
    func names(_ cell: Int) -> [String] {
      cells[cell].split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
  }

  private static func rows() throws -> (quirks: [Row], general: [Row], grave: [Row]) {
    let text = try String(
      contentsOf: top.appending(path: "Tests/QUIRKS.md"), encoding: .utf8)
    let sections = text.components(separatedBy: "\n## ")
    func rows(_ title: String) -> [Row] {
      let lines = sections.first { $0.hasPrefix(title) }?.split(separator: "\n") ?? []
      return lines.filter { $0.hasPrefix("| ") }.dropFirst().map { line in
        Row(
          cells: line.dropFirst().dropLast().components(separatedBy: "|").map {
            $0.trimmingCharacters(in: .whitespaces)
          })
      }
    }
    return (rows("Quirks"), rows("Survived"), rows("What loses"))
  }

  @Test func `each quirk stands in the list once, with its servers`() throws {
    let rows = try Self.rows().quirks
    #expect(rows.map { $0.names(0).first ?? "" } == Quirk.allCases.map(\.rawValue))
    for row in rows {
      guard let quirk = Quirk(rawValue: row.names(0).first ?? "") else { continue }
      let families = ServerFamily.allCases.filter { $0.quirks.contains(quirk) }.map(\.rawValue)
      let listed = row.cells[1].components(separatedBy: ", ")
      #expect(Set(families).isSubset(of: listed), "\(quirk.rawValue)")
      let known = ServerFamily.allCases.map(\.rawValue)
      #expect(listed.filter(known.contains).count == families.count, "\(quirk.rawValue)")
    }
  }

  @Test func `each test that the list names is there`() throws {
    let (quirks, general, grave) = try Self.rows()
    #expect(grave.map { $0.cells[0] } == (1...35).map(String.init))
    let sources = try Self.testSources()
    for row in quirks + general + grave {
      let tests = row.names(row.cells.count - 1)
      #expect(!tests.isEmpty, "\(row.cells[0])")
      for test in tests { #expect(sources.contains("func `\(test)`"), "\(test)") }
    }
  }

  private static func testSources() throws -> String {
    let tests = top.appending(path: "Tests")
    guard let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    else { return "" }
    var all = ""
    for case let file as URL in files where file.pathExtension == "swift" {
      all += try String(contentsOf: file, encoding: .utf8)
    }
    return all
  }

  @Test func `the manual tells of each quirk`() throws {
    let manual = try String(
      contentsOf: Self.top.appending(path: "man/mirror-config.5"), encoding: .utf8)
    let named = manual.split(separator: "\n").filter { $0.hasPrefix(".It Cm ") }
      .map { String($0.dropFirst(7)) }
    #expect(named.filter { Quirk(rawValue: $0) != nil } == Quirk.allCases.map(\.rawValue))
  }
}
