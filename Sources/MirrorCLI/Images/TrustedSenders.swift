import Foundation
import MailCore

/// Whose remote images are always fetched: addresses, and domains written `@example.org`, in a file of the user's own.
struct TrustedSenders: Sendable, Equatable {
  /// In lower case, sorted.
  private(set) var entries: [String] = []

  init(_ entries: [String] = []) { self.entries = Set(entries).sorted() }

  /// A domain's entry means no domain below it.
  func contains(_ sender: String) -> Bool {
    let address = sender.lowercased()
    guard let at = address.lastIndex(of: "@") else { return false }
    return entries.contains(address) || entries.contains(String(address[at...]))
  }

  /// An entry as the list has it; nil for what is neither an address nor `@` and a domain.
  static func entry(_ text: String) -> String? {
    let entry = text.lowercased()
    let parts = entry.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let domain = parts.last, !domain.isEmpty, domain.contains("."),
      !domain.hasPrefix("."), !domain.hasSuffix("."), !domain.contains(".."),
      entry.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "#" })
    else { return nil }
    return entry
  }

  mutating func add(_ entry: String) { self = TrustedSenders(entries + [entry]) }

  /// - Returns: whether it was there.
  mutating func remove(_ entry: String) -> Bool {
    let rest = entries.filter { $0 != entry }
    defer { entries = rest }
    return rest.count < entries.count
  }
}

/// The file with the list, `mirror/trusted.txt` in the data directory: a line each.
struct TrustFile {
  let path: String

  init(path: String) { self.path = path }

  /// - Throws: ``TrustError/noPlace``.
  init() throws(TrustError) {
    let environment = ProcessInfo.processInfo.environment
    let data =
      environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/share" : nil }
    guard let data else { throw .noPlace }
    path = data + "/mirror/trusted.txt"
  }

  /// Empty where there is no file.
  func read() throws(TrustError) -> TrustedSenders {
    guard FileManager.default.fileExists(atPath: path) else { return TrustedSenders() }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw .unreadable(path)
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    return TrustedSenders(lines.compactMap { TrustedSenders.entry(String($0)) })
  }

  func write(_ senders: TrustedSenders) throws(TrustError) {
    do {
      let place = URL(fileURLWithPath: path)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      let text = senders.entries.map { $0 + "\n" }.joined()
      try Data(text.utf8).write(to: place, options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    } catch {
      throw .notWritten(path)
    }
  }
}

enum TrustError: Error, Equatable {
  case noPlace
  case unreadable(String)
  case notWritten(String)
  case noEntry(String)
}

extension TrustError: Explained {
  var explanation: Explanation {
    switch self {
    case .noPlace:
      Explanation(
        problem: "There is no place for the list of trusted senders.",
        remedy: "Set HOME or XDG_DATA_HOME to an absolute path.", exitStatus: .configuration)
    case .unreadable(let path):
      Explanation(
        problem: "The list of trusted senders, “\(path)”, cannot be read.",
        remedy: "Look at its permissions.", exitStatus: .refused)
    case .notWritten(let path):
      Explanation(
        problem: "The list of trusted senders, “\(path)”, cannot be written.",
        remedy: "Look at the disk and at the directory's permissions.", exitStatus: .inPart)
    case .noEntry(let text):
      Explanation(
        problem: "“\(text)” is neither an address nor a domain.",
        remedy: "Write news@example.org, or @example.org for all of a domain.", exitStatus: .usage)
    }
  }
}
