import Foundation
import IMAPWire
import Testing

/// Recorded transcripts of other projects, where they are at hand: `../shared/corpora`, unpacked by the
/// test, or a directory that MIRROR_IMAP_CORPUS names. Without them these tests skip.
struct CorpusTests {
  static let files: [URL] = {
    guard let folder = corpus() else { return [] }
    let all = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: [.isRegularFileKey])
    return (all?.compactMap { $0 as? URL } ?? [])
      .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
      .sorted { $0.path < $1.path }
  }()

  private static func corpus() -> URL? {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["MIRROR_IMAP_CORPUS"] { return URL(filePath: path) }
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let archive = top.appending(path: "../shared/corpora/imap-transcripts.tar.gz")
      .standardizedFileURL
    guard FileManager.default.fileExists(atPath: archive.path) else { return nil }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "mirror-imap-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let tar = Process()
    tar.executableURL = URL(filePath: "/usr/bin/env")
    tar.arguments = ["tar", "-xzf", archive.path, "-C", folder.path]
    guard (try? tar.run()) != nil else { return nil }
    tar.waitUntilExit()
    atexit { CorpusTests.cleanUp() }
    return folder
  }

  private static func cleanUp() {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "mirror-imap-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.removeItem(at: folder)
  }

  @Test(.enabled(if: !files.isEmpty, "no corpora in ../shared"))
  func `every recorded transcript parses the same in any chunks`() throws {
    var generator = SeededGenerator(seed: 1)
    for file in Self.files {
      let recorded = [UInt8](try Data(contentsOf: file).prefix(32_768))  // cut short is fine too
      for bytes in [recorded, Self.withCRLF(recorded)] {
        let whole = Transcript(bytes)
        #expect(whole.failure == nil, "\(file.path)")
        let sizes = bytes.count < 8192 ? [1, 3, 64] : [4096]
        for size in sizes {
          #expect(Transcript(bytes, chunk: size) == whole, "\(file.path) in chunks of \(size)")
        }
        let random = Transcript(bytes, chunks: { Int.random(in: 1...2000, using: &generator) })
        #expect(random == whole, "\(file.path) in random chunks")
      }
    }
  }

  @Test(.enabled(if: !files.isEmpty, "no corpora in ../shared"))
  func `recorded greetings and capabilities are understood`() throws {
    let file = try #require(Self.files.first { $0.lastPathComponent == "lines.tsv" })
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    var understood = 0
    var unknown: [String] = []
    for row in text.split(separator: "\n") {
      let fields = row.split(separator: "\t", maxSplits: 2)
      // Some lines are sources of test suites, with the quoting of their language.
      guard fields.count == 3, !fields[2].contains("\\"), fields[2].hasPrefix("*") else { continue }
      let seen = try parse(String(fields[2]) + "\r\n")
      if case .untagged(.unrecognised) = seen.first {
        unknown.append(String(fields[2]))
      } else {
        understood += 1
      }
    }
    #expect(understood > 300)
    #expect(unknown.count < 20, "\(unknown)")
  }

  @Test(.enabled(if: !files.isEmpty, "no corpora in ../shared"))
  func `recorded FETCH and LIST responses are mostly understood`() throws {
    var understood = 0
    var unknown: [String] = []
    for file in Self.files where file.path.contains("mailkit") && file.pathExtension == "txt" {
      let bytes = Self.withCRLF([UInt8](try Data(contentsOf: file)))
      for case .untagged(let response) in try parse(bytes) {
        guard case .unrecognised(let line) = response else {
          understood += 1
          continue
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("* ") { unknown.append("\(file.lastPathComponent): \(text.prefix(80))") }
      }
    }
    #expect(understood > 400)
    // What stays: QUOTA, ACL, METADATA, THREAD, SORT and the like, which nobody here asks for.
    let asked = unknown.filter { line in
      ["FETCH", " LIST ", "STATUS", "SEARCH", " OK", " NO", "CAPABILITY", "EXISTS", "VANISHED"]
        .contains { line.contains($0) }
    }
    #expect(asked.count < 10, "\(asked)")
  }

  private static func withCRLF(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 21 / 20)
    var last: UInt8 = 0
    for byte in bytes {
      if byte == 0x0A, last != 0x0D { result.append(0x0D) }
      result.append(byte)
      last = byte
    }
    return result
  }
}
