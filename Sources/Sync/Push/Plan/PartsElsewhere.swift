import Foundation
import MailCore
import Maildir
import SyncPlan

/// Stubs that lie below the tree's root and outside of this account: in another one, or in a Maildir that is no account's. A
/// person may have moved them there. Looked for only where messages of which parts are missing are to be deleted.
struct PartsElsewhere {
  let account: String
  let policy: MaildirPolicy
  private static let longestHeader = 256 << 10

  func identities() -> Set<PartIdentity> {
    var found: Set<PartIdentity> = []
    let root = account.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    visit(root, depth: 0, &found)
    return found
  }

  private func visit(_ directory: String, depth: Int, _ found: inout Set<PartIdentity>) {
    guard depth < 32, directory != account,
      let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
    else { return }
    let isMaildir = names.contains("cur") && names.contains("new")
    for name in names where name != ".mirror" && name != "tmp" {
      let path = directory + "/" + name
      if isMaildir, name == "cur" || name == "new" {
        for file in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
          if let identity = identity(ofFile: path + "/" + file) { found.insert(identity) }
        }
        continue
      }
      var isDirectory: ObjCBool = false
      // A link leads to what is looked into elsewhere, or out of the tree.
      guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil,
        FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
        isDirectory.boolValue
      else { continue }
      visit(path, depth: depth + 1, &found)
    }
  }

  /// Nil for what is no stub.
  private func identity(ofFile path: String) -> PartIdentity? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let start = try? file.read(upToCount: StubLine.longest),
      let line = start.withUnsafeBytes({ StubLine(atStartOf: $0) })
    else { return nil }
    let rest = (try? file.read(upToCount: Self.longestHeader)) ?? Data()
    return PartIdentity(
      headerHash: policy.headerHash(ofStub: Array(start) + Array(rest)), size: line.size)
  }
}

extension MaildirPolicy {
  /// Of a file that begins with a stub's line.
  fileprivate func headerHash(ofStub bytes: [UInt8]) -> UInt64 {
    var rest = bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
    if let line = keywords.line,
      let length = rest.withUnsafeBytes({ line.length(atStartOf: $0) })
    {
      rest = rest.dropFirst(length)
    }
    return headerHash(of: Array(rest))
  }
}
