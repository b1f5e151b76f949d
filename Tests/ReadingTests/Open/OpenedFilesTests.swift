import Foundation
import Testing

@testable import Reading

@Suite struct OpenedFilesTests {
  private let base = NSTemporaryDirectory() + "mirror-opened-" + UUID().uuidString

  private func mode(_ path: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    return (facts[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  @Test func `only the user can look at what is opened`() throws {
    defer { try? FileManager.default.removeItem(atPath: base) }
    let path = try OpenedFiles(base).writePage { sink in
      for piece in ["pa", "ge"] { try sink(Array(piece.utf8)) }
    }
    #expect(path.hasPrefix(base + "/") && path.hasSuffix(".html"))
    #expect(try mode(base) == 0o700)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "page")
    #expect(try OpenedFiles(base).writePage { _ in } != path)
  }

  @Test func `a directory that others can look into is refused`() throws {
    try FileManager.default.createDirectory(
      atPath: base, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(atPath: base) }
    #expect(throws: OpenError.directory(base, reason: EPERM)) { try OpenedFiles(base) }
  }

  @Test func `a link in its place is refused`() throws {
    try FileManager.default.createDirectory(
      atPath: base, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try FileManager.default.createSymbolicLink(atPath: base + "-link", withDestinationPath: base)
    defer {
      try? FileManager.default.removeItem(atPath: base)
      try? FileManager.default.removeItem(atPath: base + "-link")
    }
    #expect(throws: OpenError.self) { try OpenedFiles(base + "-link") }
  }

  @Test func `what was opened yesterday is removed, today's stays`() throws {
    defer { try? FileManager.default.removeItem(atPath: base) }
    let today = try OpenedFiles(base).writePage { _ in }
    let old = [base + "/old.html", base + "/report.pdf"]
    for file in old {
      #expect(FileManager.default.createFile(atPath: file, contents: nil))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: file)
    }
    _ = try OpenedFiles(base)
    #expect(!old.contains { FileManager.default.fileExists(atPath: $0) })
    #expect(FileManager.default.fileExists(atPath: today))
  }
}
