import Foundation
import MailTestKit
import Testing

/// Real mail of public corpora, read by Python's email package and by us.
///
/// `MIRROR_CORPORA` names a folder with the archives or the unpacked corpora, else `../shared/corpora` from the top of
/// the checkout is looked at; without both the test skips. `differences.txt` lists every message that the two read
/// differently, with the rule that decides for us.
@Suite struct CorpusTests {
  static let folder: String? = {
    var top = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { top.deleteLastPathComponent() }
    let named = ProcessInfo.processInfo.environment["MIRROR_CORPORA"]
    let places = [named, top.deletingLastPathComponent().path + "/shared/corpora"]
    return places.compactMap { $0 }.first(where: isDirectory)
  }()
  /// Every so many of a corpus are compared: some of the spam and the ham of 2002, all of a development list of today.
  private static let corpora = [("spamassassin", 12), ("openbmc", 1)]

  @Test(.enabled(if: folder != nil && findProgram("python3") != nil, "no corpora"))
  func `real messages read as Python reads them, but for those listed`() throws {
    let listed = try Self.listed()
    var (compared, differing) = (0, 0)
    for (corpus, step) in Self.corpora {
      let place = try TemporaryDirectory("corpus")
      let top = try unpacked(corpus, into: place.path)
      for (name, python) in try readings(of: top, every: step, list: place.path + "/list") {
        compared += 1
        let found = python.differences(OurReading(try readFile("\(top)/\(name)")))
        let key = "\(corpus)/\(name)"
        guard !found.isEmpty else {
          #expect(listed[key] == nil, "\(key) is listed, but differs no more")
          continue
        }
        differing += 1
        #expect(listed[key] != nil, "\(key)\n  \(found.joined(separator: "\n  "))")
      }
    }
    print("Python and we: \(compared) messages compared, \(differing) differ")
    #expect(compared > 2000)
    #expect(differing * 100 <= compared * 2, "\(differing) of \(compared)")
  }

  /// What Python reads in some messages of a folder, those left out that it can't read at all.
  private func readings(of top: String, every step: Int, list: String) throws
    -> [(String, PythonReading)]
  {
    let names = try FileManager.default.subpathsOfDirectory(atPath: top).sorted()
      .filter { ["txt", "eml"].contains(($0 as NSString).pathExtension) }
    let chosen = stride(from: 0, to: names.count, by: step).map { names[$0] }
    try writeFile(list, chosen.map { "\(top)/\($0)" }.joined(separator: "\n") + "\n")
    let outcome = try runSuccessfully(
      ["python3", fixtures + "/python/corpus.py", list], limit: 600)
    let readings = try outcome.output.split(separator: 10).map {
      try JSONDecoder().decode(PythonReading?.self, from: Data($0))
    }
    try #require(readings.count == chosen.count)
    let known = zip(chosen, readings).compactMap { name, reading in reading.map { (name, $0) } }
    #expect(known.count >= chosen.count * 9 / 10)
    return known
  }

  private func unpacked(_ corpus: String, into place: String) throws -> String {
    let folder = Self.folder ?? ""
    if isDirectory("\(folder)/\(corpus)") { return "\(folder)/\(corpus)" }
    let archive = try FileManager.default.contentsOfDirectory(atPath: folder)
      .first { $0.hasPrefix(corpus) && $0.hasSuffix(".tar.gz") }
    try runSuccessfully(["tar", "xf", "\(folder)/\(try #require(archive))", "-C", place])
    return "\(place)/\(corpus)"
  }

  /// Lines of "corpus/path: rule".
  private static func listed() throws -> [String: String] {
    let text = String(decoding: try readFile(fixtures + "/python/differences.txt"), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    return Dictionary(
      lines.compactMap { line in
        guard let colon = line.range(of: ": ") else { return nil }
        return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
      }, uniquingKeysWith: { first, _ in first })
  }
}
