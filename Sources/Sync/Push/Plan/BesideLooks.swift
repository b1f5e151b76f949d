import Foundation
import LocalChanges
import Maildir

/// When directories outside of the account were last looked through and none of their files seemed to lack parts: what did
/// not change since needs no second look. This machine's, beside what it remembers of the tree; without it all is read.
struct BesideLooks {
  private struct Look: Codable {
    /// Of the directory, in nanoseconds since 1970; 0 where it proves nothing.
    var modified: Int64
    /// When the look began.
    var looked: Int64
  }

  private let path: String?
  private var known: [String: Look] = [:]
  private var seen: [String: Look] = [:]
  /// So coarse are the times of some file systems.
  private static let coarse: Int64 = 2_500_000_000

  init(_ witness: TreeWitness) {
    path = witness.place("beside")
    if let path, let data = FileManager.default.contents(atPath: path) {
      known = (try? JSONDecoder().decode([String: Look].self, from: data)) ?? [:]
    }
  }

  /// Which of a directory's files have to be read.
  enum Unread {
    case none
    /// Those that changed at this moment or later.
    case since(Int64)
  }

  func unread(_ directory: FileFacts) -> Unread {
    guard let look = known[Self.key(directory)], look.looked <= Self.now else { return .since(0) }
    if look.modified != 0, look.modified == directory.modified { return .none }
    return .since(look.looked - Self.coarse)
  }

  /// - Parameter directory: as it was before it was read.
  mutating func add(_ directory: FileFacts, looked: Int64) {
    let isProof = directory.modified < looked - Self.coarse
    seen[Self.key(directory)] = Look(modified: isProof ? directory.modified : 0, looked: looked)
  }

  mutating func keep(_ directory: FileFacts) {
    let key = Self.key(directory)
    seen[key] = known[key]
  }

  /// Of directories that were not met, and of those with files that seem to lack parts, nothing is kept. A failure to write
  /// costs a second look.
  func save() {
    guard let path, !(seen.isEmpty && known.isEmpty),
      let data = try? JSONEncoder().encode(seen)
    else { return }
    let directory = (path as NSString).deletingLastPathComponent
    guard FileManager.default.fileExists(atPath: directory) else { return }
    try? data.write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1e9) }

  private static func key(_ directory: FileFacts) -> String {
    "\(directory.device):\(directory.inode)"
  }
}
