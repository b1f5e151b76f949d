import Foundation
import LocalChanges
import SyncPlan

extension TreeWitness {
  /// What `mirror verify` found last; it lies beside what this machine remembers of the tree, as a verification changes
  /// nothing in that.
  var lastVerify: AccountStatus.LastVerify? {
    guard let path = place("verify"), let data = FileManager.default.contents(atPath: path)
    else { return nil }
    return try? JSONDecoder().decode(AccountStatus.LastVerify.self, from: data)
  }

  /// A failure to write it is none of the verification's.
  func write(_ verify: AccountStatus.LastVerify) {
    guard let path = place("verify"), let data = try? JSONEncoder().encode(verify) else { return }
    try? FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try? data.write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}
