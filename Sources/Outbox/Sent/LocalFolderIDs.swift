import Foundation
import MIME
import Maildir

/// The messages of a folder by Message-ID, as their files say.
package struct LocalFolderIDs {
  /// Several files may have one.
  private(set) package var files: [String: [MessageFile]] = [:]

  /// Bytes of a header that are looked at.
  private static let headerLimit = 256 * 1024

  /// - Parameters:
  ///   - path: the folder's directory.
  ///   - since: files that were changed before then are passed over (Unix seconds).
  /// - Throws: what the system refuses; a folder that is not there holds nothing.
  package init(folder path: String, since: Int64 = .min) throws {
    for subdirectory in Subdirectory.allCases {
      let directory = path + "/" + subdirectory.name
      guard FileManager.default.fileExists(atPath: directory) else { continue }
      for name in try FileManager.default.contentsOfDirectory(atPath: directory)
      where !name.hasPrefix(".") {
        guard let id = Self.messageID(directory + "/" + name, since: since) else { continue }
        files[id, default: []].append(
          MessageFile(subdirectory: subdirectory, name: Array(name.utf8)))
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
      modified(facts) >= since
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(headerLimit, max(0, Int(facts.st_size))))
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    guard count > 0 else { return nil }
    let field = bytes[..<count].filter { $0 != 0x0D }.withUnsafeBytes {
      RawHeader.parse($0).0.first("Message-ID")
    }
    return field.flatMap { field in
      Array(field.value).withUnsafeBytes { MessageIDs.messageID($0) }
    }
  }

  private static func modified(_ facts: stat) -> Int64 {
    #if canImport(Glibc)
      Int64(facts.st_mtim.tv_sec)
    #else
      Int64(facts.st_mtimespec.tv_sec)
    #endif
  }
}
