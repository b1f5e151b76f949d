import Foundation

/// A directory that is gone when the test is over.
final class ScratchDirectory {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "reading-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws {
    let file = path + "/" + name
    let directory = (file as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
  }

  func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  /// Sorted; empty where there is no such directory.
  func names(in directory: String = "") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + directory)) ?? []).sorted()
  }

  func text(of name: String) -> String? {
    FileManager.default.contents(atPath: path + "/" + name).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  func link(_ name: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path + "/" + name)
  }
}
