import Foundation
import Testing

/// The folders of these modules are floors: none uses, by itself or by way of others, one that uses it. SwiftPM sees to it
/// for modules; inside of one only this does. By tokens, so approximate: a name that several files define is left out.
struct FloorTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  @Test(arguments: ["Sync", "SyncPlan", "State", "Remote", "LocalChanges", "Ledger"])
  func `no folder stands in a circle`(module: String) throws {
    let arrows = try arrows(of: module)
    for from in Set(arrows.map(\.from.folder)).sorted() {
      var reached: Set<String> = []
      var next = [from]
      while let folder = next.popLast() {
        for arrow in arrows
        where arrow.from.folder == folder && reached.insert(arrow.to.folder).inserted {
          next.append(arrow.to.folder)
        }
      }
      let words = arrows.filter { $0.from.folder == from && reached.contains($0.to.folder) }
        .map { "\($0.from.path) uses \($0.to.path)" }
      #expect(!reached.contains(from), "\(module): \(from): \(words)")
    }
  }

  /// The order of the floors is that of `Sources/README.md`.
  @Test func `no floor of Sync uses one above it`() throws {
    let map = try String(contentsOf: Self.sources.appending(path: "README.md"), encoding: .utf8)
    let row = try #require(map.split(separator: "\n").first { $0.hasPrefix("| `Sync` |") })
    let list = try #require(row.firstRange(of: "lowest first: ")).upperBound
    let floors = row[list...].prefix { $0 != "|" }.split(separator: ",").map {
      $0.filter { $0.isLetter }
    }
    #expect(floors.count > 5)
    let arrows = try arrows(of: "Sync")
    #expect(arrows.count > 100)
    for arrow in arrows {
      let from = try #require(floors.firstIndex(of: arrow.from.floor), "\(arrow.from.floor)")
      let to = try #require(floors.firstIndex(of: arrow.to.floor), "\(arrow.to.floor)")
      #expect(from >= to, "\(arrow.from.path) uses \(arrow.to.path)")
    }
  }

  // MARK: Arrows

  private struct File {
    /// Below the module.
    let path: String
    let defined: Set<String>
    let used: Set<String>

    var folder: String { (path as NSString).deletingLastPathComponent }
    var floor: String { String(path.prefix { $0 != "/" }) }
  }

  /// From files to those of other folders that alone define what they name.
  private func arrows(of module: String) throws -> [(from: File, to: File)] {
    let root = Self.sources.appending(path: module).path
    let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    let files = try paths.filter { $0.hasSuffix(".swift") }.sorted().map {
      try file($0, in: root)
    }
    var homes: [String: [Int]] = [:]
    for (place, file) in files.enumerated() {
      for name in file.defined { homes[name, default: []].append(place) }
    }
    return files.flatMap { from in
      from.used.sorted().compactMap { name in
        guard let places = homes[name], places.count == 1, files[places[0]].folder != from.folder
        else { return nil }
        return (from, files[places[0]])
      }
    }
  }

  private func file(_ path: String, in root: String) throws -> File {
    let text = try String(contentsOfFile: root + "/" + path, encoding: .utf8)
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    var defined: Set<String> = []
    var used: Set<String> = []
    for line in text.utf8.split(separator: 10).map({ Substring($0) }) {
      let words = Self.words(of: line)
      used.formUnion(words.lazy.filter { $0.first?.isUppercase == true }.map(String.init))
      guard line.first?.isWhitespace == false, let kind = words.firstIndex(where: kinds.contains),
        words.indices.contains(kind + 1)
      else { continue }
      defined.insert(String(words[kind + 1]))
    }
    return File(path: path, defined: defined, used: used)
  }

  /// Without comments and the texts of literals.
  private static func words(of line: Substring) -> [Substring] {
    var code = ""
    for (place, part) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
    where place.isMultiple(of: 2) {
      code += part + " "
    }
    if let comment = code.firstRange(of: "//") { code = String(code[..<comment.lowerBound]) }
    return code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
  }
}
