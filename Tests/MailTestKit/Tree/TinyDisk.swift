/// A file system of a few megabytes, to be filled. Needs the right to mount.
package final class TinyDisk: Sendable {
  package let path: String
  private let end: Supervised

  package init(megabytes: Int, inodes: Int = 4096) throws {
    path = "\(Scratch.base)/disk-\(UInt64.random(in: 0...UInt64.max))"
    try makeDirectory(path)
    end = try Supervised([], removing: path)
    try runSuccessfully([
      "mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,nr_inodes=\(inodes)", "none", path,
    ])
  }

  /// Whether this machine lets the tests mount anything.
  package static let isPossible: Bool = (try? TinyDisk(megabytes: 1)) != nil

  package func remount(_ options: String) throws {
    try runSuccessfully(["mount", "-o", "remount,\(options)", path])
  }

  package func unmount() throws { try runSuccessfully(["umount", path]) }

  deinit { end.stop() }
}
