import Foundation
import MailCore
import Settings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension ConfigurationFile {
  /// The whole new text without an account.
  ///
  /// - Throws: ``WritingError/cannotRemove(_:path:)``.
  package func text(without account: String) throws(WritingError) -> [UInt8] {
    var text = ConfigurationText(before)
    guard text.remove(account: account) else { throw .cannotRemove(account, path: path) }
    return text.bytes
  }

  /// Takes an account out of the file, durably, and out of the copies that were kept of it: its password may stand in all of
  /// them. What was there is not kept, and there may be no account left.
  ///
  /// - Returns: copies in which it may still stand: they are written in another way, or not ours to write.
  package func remove(account: String) throws(WritingError) -> [String] {
    if accounts.contains(account) {
      try overwrite(target, with: text(without: account))
    }
    let directory = (target as NSString).deletingLastPathComponent
    // Of a set-up that was killed while it wrote.
    for name in names(in: directory, after: target + ".new-") { unlink(name) }
    var left: [String] = []
    for copy in names(in: (path as NSString).deletingLastPathComponent, after: path + ".bak-") {
      do throws(WritingError) {
        guard let bytes = try Self.read(copy) else { continue }
        var text = ConfigurationText(bytes)
        if text.remove(account: account) {
          try Self.replace(copy, with: text.bytes)
        } else if Self.names(account, in: bytes) {
          left.append(copy)
        }
      } catch {
        left.append(copy)
      }
    }
    return left
  }

  /// Whether the name stands there by itself, and not as a part of a longer one.
  private static func names(_ account: String, in bytes: [UInt8]) -> Bool {
    let name = Array(account.utf8)
    guard bytes.count >= name.count else { return false }
    func belongsToName(_ place: Int) -> Bool {
      guard bytes.indices.contains(place) else { return false }
      let character = Unicode.Scalar(bytes[place])
      return bytes[place] >= 0x80 || character.properties.isAlphabetic
        || character.properties.numericType != nil || character == "-" || character == "_"
    }
    return (0...bytes.count - name.count).contains { start in
      bytes[start..<start + name.count].elementsEqual(name)
        && !belongsToName(start - 1) && !belongsToName(start + name.count)
    }
  }

  private func overwrite(_ path: String, with bytes: [UInt8]) throws(WritingError) {
    let draft = try drafted(bytes, needsAccounts: false)
    guard rename(draft, path) == 0 else {
      let code = errno
      unlink(draft)
      throw .io(path, reason: Self.reason(code))
    }
    Self.sync((path as NSString).deletingLastPathComponent)
  }

  private static func replace(_ path: String, with bytes: [UInt8]) throws(WritingError) {
    let draft = path + ".new-\(UInt32.random(in: 0...UInt32.max))"
    try create(draft, bytes)
    guard rename(draft, path) == 0 else {
      let code = errno
      unlink(draft)
      throw .io(path, reason: reason(code))
    }
    sync((path as NSString).deletingLastPathComponent)
  }

  private func names(in directory: String, after start: String) -> [String] {
    let place = directory.isEmpty ? "." : directory
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    return names.map { directory.isEmpty ? $0 : directory + "/" + $0 }
      .filter { $0.hasPrefix(start) }.sorted()
  }
}
