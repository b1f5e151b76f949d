import Foundation
import Maildir

/// The messages of a folder by Message-ID, as their files say.
package struct LocalFolderIDs {
  private let path: String
  private let since: Int64
  private var subdirectories: [Subdirectory: Contents] = [:]

  /// What was seen of one directory. Files do not change under their names, so none is read twice; but one without an
  /// id may still have been written then.
  private struct Contents {
    var stamp: Stamp
    /// Nil for one without an id, and for one that is too old.
    var ids: [String: String?] = [:]

    func id(_ name: String) -> String?? {
      ids[name].flatMap { $0 != nil || stamp.isSettled ? .some($0) : nil }
    }
  }

  /// When a directory was changed last, and when it was looked at.
  private struct Stamp {
    var modified: timespec
    var looked: Date

    /// Clocks of file systems run in steps, some of two seconds: what was changed just before the look may be
    /// changed once more at the same time.
    func proves(unchanged now: timespec) -> Bool {
      modified.tv_sec == now.tv_sec && modified.tv_nsec == now.tv_nsec
        && isSettled
    }

    var isSettled: Bool { looked.timeIntervalSince1970 - Double(modified.tv_sec) > 3 }
  }

  /// Bytes of a header that are looked at.
  private static let headerLimit = 256 * 1024

  /// - Parameters:
  ///   - path: the folder's directory.
  ///   - since: files that were changed before then are passed over (Unix seconds).
  /// - Throws: what the system refuses; a folder that is not there holds nothing.
  package init(folder path: String, since: Int64 = .min) throws {
    self.path = path
    self.since = since
    try refresh()
  }

  /// Looks at what came, went, or got another name since.
  package mutating func refresh() throws {
    for subdirectory in Subdirectory.allCases {
      let directory = path + "/" + subdirectory.name
      var facts = stat()
      guard stat(directory, &facts) == 0 else {
        subdirectories[subdirectory] = nil
        continue
      }
      let modified = Self.modified(facts)
      let before = subdirectories[subdirectory]
      if before?.stamp.proves(unchanged: modified) == true { continue }
      var contents = Contents(stamp: Stamp(modified: modified, looked: Date()))
      for name in try FileManager.default.contentsOfDirectory(atPath: directory)
      where !name.hasPrefix(".") {
        contents.ids[name] = .some(
          before?.id(name) ?? Self.messageID(directory + "/" + name, since: since))
      }
      subdirectories[subdirectory] = contents
    }
  }

  package func holds(_ id: String) -> Bool {
    subdirectories.values.contains { $0.ids.values.contains(id) }
  }

  /// Several files may have one id.
  package func files(_ id: String) -> [MessageFile] {
    subdirectories.flatMap { subdirectory, contents in
      contents.ids.filter { $0.value == id }.keys.map {
        MessageFile(subdirectory: subdirectory, name: Array($0.utf8))
      }
    }
  }

  /// Nil where the file is older, has none, or is gone by now.
  private static func messageID(_ path: String, since: Int64) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      Int64(modified(facts).tv_sec) >= since
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(headerLimit, max(0, Int(facts.st_size))))
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    guard count > 0 else { return nil }
    return CopyHeader(Array(bytes[..<count])).messageID
  }

  private static func modified(_ facts: stat) -> timespec {
    #if canImport(Glibc)
      facts.st_mtim
    #else
      facts.st_mtimespec
    #endif
  }
}
