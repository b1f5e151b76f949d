import Foundation
import Testing

@testable import MirrorCLI

@Suite struct PageDirectoryTests {
  private let base = NSTemporaryDirectory() + "mirror-pages-" + UUID().uuidString

  private func mode(_ path: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    return (facts[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  @Test func `only the user can read a page`() throws {
    defer { try? FileManager.default.removeItem(atPath: base) }
    let path = try PageDirectory(base).write(Array("page".utf8))
    #expect(path.hasPrefix(base + "/") && path.hasSuffix(".html"))
    #expect(try mode(base) == 0o700)
    #expect(try mode(path) == 0o600)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "page")
    #expect(try PageDirectory(base).write([]) != path)
  }

  @Test func `a directory that others can look into is refused`() throws {
    try FileManager.default.createDirectory(
      atPath: base, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(atPath: base) }
    #expect(throws: OpenError.self) { try PageDirectory(base).write([]) }
  }

  @Test func `a link in its place is refused`() throws {
    try FileManager.default.createDirectory(
      atPath: base, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try FileManager.default.createSymbolicLink(atPath: base + "-link", withDestinationPath: base)
    defer {
      try? FileManager.default.removeItem(atPath: base)
      try? FileManager.default.removeItem(atPath: base + "-link")
    }
    #expect(throws: OpenError.self) { try PageDirectory(base + "-link").write([]) }
  }

  @Test func `yesterday's pages are removed, today's and other files stay`() throws {
    defer { try? FileManager.default.removeItem(atPath: base) }
    let today = try PageDirectory(base).write([])
    let old = base + "/old.html"
    let other = base + "/old.txt"
    for file in [old, other] {
      #expect(FileManager.default.createFile(atPath: file, contents: nil))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: file)
    }
    _ = try PageDirectory(base).write([])
    #expect(!FileManager.default.fileExists(atPath: old))
    #expect(FileManager.default.fileExists(atPath: other))
    #expect(FileManager.default.fileExists(atPath: today))
  }
}
