import Foundation
import MailCore
import Settings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Why the configuration was left as it is.
package enum WritingError: Error, Equatable, Sendable {
  case accountExists(String, path: String)
  /// Its tables are not written with headers of their own.
  case cannotReplace(String, path: String)
  /// The same of one that is to go.
  case cannotRemove(String, path: String)
  case io(String, reason: String)
  /// There are too many backups of the same second.
  case noBackupName(String)
  /// Somebody else wrote it in the meantime.
  case changed(String)
  /// The new text would not load.
  case wouldNotLoad(String, reason: String)
  /// The file is there, and says another root.
  case otherRoot(String, path: String)
}

extension WritingError: Explained {
  package var explanation: Explanation {
    switch self {
    case .accountExists(let name, let path):
      Explanation(
        problem: "\(path) has an account “\(name)” already.",
        remedy: "Choose another name with --account, or replace it with --replace.",
        exitStatus: .configuration)
    case .cannotReplace(let name, let path):
      Explanation(
        problem: "The account “\(name)” in \(path) is not written in tables of its own.",
        remedy: "Remove it by hand, then run `mirror init` again.", exitStatus: .configuration)
    case .cannotRemove(let name, let path):
      Explanation(
        problem:
          "The account “\(name)” in \(path) is not written in tables of its own; nothing was removed.",
        remedy:
          "Give it tables, [accounts.\(name)] and [accounts.\(name).imap], then run this again.",
        exitStatus: .configuration)
    case .io(let path, let reason):
      Explanation(
        problem: "\(path) cannot be written: \(reason).",
        remedy: "Check the directory's owner and mode, and the disk.", exitStatus: .configuration)
    case .noBackupName(let path):
      Self.io(path, reason: "no name is left for its backup").explanation
    case .changed(let path):
      Explanation(
        problem: "\(path) was changed by somebody else meanwhile; nothing was written.",
        remedy: "Run the command again.", exitStatus: .busy)
    case .wouldNotLoad(let path, let reason):
      Explanation(
        problem: "\(path) was left as it is, as the new account would not fit in: \(reason)",
        remedy: "Mend that first, or add the account by hand (mirror-config(5)).",
        exitStatus: .configuration)
    case .otherRoot(let root, let path):
      Explanation(
        problem: "\(path) says root = \"\(root)\", and there is one root for all accounts.",
        remedy: "Leave --root out, or write another file with --config.", exitStatus: .usage)
    }
  }
}

/// The configuration file that an account is written to, as it was when the set-up began.
package struct ConfigurationFile: Sendable {
  package let path: String
  /// Behind symbolic links.
  let target: String
  let before: [UInt8]?
  private let environment: [String: String]
  /// Empty where there is no file.
  private let settings: [AccountSettings]
  /// Names of its accounts.
  package var accounts: [String] { settings.map(\.name) }
  /// Those that ``text(with:root:replacing:)`` can replace.
  package var replaceable: [AccountSettings] {
    let text = ConfigurationText(before)
    return settings.filter { text.canReplace(account: $0.name) }
  }
  /// The root that it says, or nil where there is no file.
  package let root: String?

  package struct Written: Sendable, Equatable {
    /// The file as it was, under another name.
    package var backup: String?
  }

  /// - Throws: `SettingsError` where there is a file that cannot be used: it is not for us to mend.
  package init(path: String, environment: [String: String]) throws {
    self.path = path
    self.environment = environment
    target = (try? FileManager.default.destination(of: path)) ?? path
    before = try Self.read(target)
    guard let before, !ConfigurationText(before).isEmpty else {
      (settings, root) = ([], nil)
      return
    }
    let configuration = try Configuration.load(
      path: path, environment: environment, needsAccounts: false)
    (settings, root) = (configuration.accounts, configuration.root)
  }

  /// The whole new text.
  ///
  /// - Parameter root: for a new file.
  package func text(with draft: AccountDraft, root: String, replacing: Bool) throws(WritingError)
    -> [UInt8]
  {
    let tables = AccountTables(draft)
    var text = ConfigurationText(before)
    if text.isEmpty {
      text.begin(root: root, tables)
      return text.bytes
    }
    let taken = settings.first { $0.name.lowercased() == draft.account.lowercased() }
    guard let taken else {
      text.append(tables)
      return text.bytes
    }
    guard replacing else { throw .accountExists(taken.name, path: path) }
    let isSame = draft.isClient(of: taken.oauth)
    guard text.replace(account: taken.name, with: tables, isSameClient: isSame) else {
      throw .cannotReplace(taken.name, path: path)
    }
    return text.bytes
  }

  /// Does all of ``write(_:now:)`` that can go wrong without it, and leaves nothing: for what has to come before it and
  /// would be in vain.
  ///
  /// - Parameter needsAccounts: one without an account is of no use.
  package func rehearse(_ bytes: [UInt8], needsAccounts: Bool = true) throws(WritingError) {
    unlink(try drafted(bytes, needsAccounts: needsAccounts))
  }

  /// Writes the text, mode 0600: durable, all or nothing, and what was there is kept beside it.
  package func write(_ bytes: [UInt8], now: Date = Date()) throws(WritingError) -> Written {
    let draft = try drafted(bytes)
    defer { unlink(draft) }
    var backup: String?
    if let before, !ConfigurationText(before).isEmpty { backup = try keep(before, now) }
    guard rename(draft, target) == 0 else { throw .io(path, reason: Self.reason(errno)) }
    Self.sync(directory)
    return Written(backup: backup)
  }

  private var directory: String {
    target.lastIndex(of: "/").map { String(target[..<$0]) } ?? "."
  }

  /// A file beside the real one, of which the settings say that it can be used, while that one is as it was.
  ///
  /// - Parameter needsAccounts: one without an account is of no use.
  func drafted(_ bytes: [UInt8], needsAccounts: Bool = true) throws(WritingError) -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw .io(directory, reason: error.localizedDescription)
    }
    let draft = target + ".new-\(UInt32.random(in: 0...UInt32.max))"
    try Self.create(draft, bytes)
    do throws(SettingsError) {
      _ = try Configuration.load(
        path: draft, environment: environment, needsAccounts: needsAccounts)
    } catch {
      unlink(draft)
      let words = error.explanation.problem.replacing(draft, with: path)
      throw .wouldNotLoad(path, reason: words)
    }
    guard (try? Self.read(target)) == before else {
      unlink(draft)
      throw .changed(path)
    }
    return draft
  }

  /// A copy under a name that is free, never over another.
  private func keep(_ bytes: [UInt8], _ now: Date) throws(WritingError) -> String {
    var seconds = time_t(now.timeIntervalSince1970)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let stamp =
      "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    for number in 1...1000 {
      let name = path + ".bak-\(stamp)" + (number == 1 ? "" : "-\(number)")
      do throws(WritingError) {
        try Self.create(name, bytes)
        return name
      } catch {
        guard case .io(_, reason: Self.reason(EEXIST)) = error else { throw error }
      }
    }
    throw .noBackupName(path)
  }

  // MARK: Files

  static func read(_ path: String) throws(WritingError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .io(path, reason: reason(errno))
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16384)
    while bytes.count <= 1 << 20 {
      let count = Glue.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .io(path, reason: reason(errno)) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// A new file that only its owner can read, synced.
  static func create(_ path: String, _ bytes: [UInt8]) throws(WritingError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .io(path, reason: reason(errno)) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glue.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        unlink(path)
        throw .io(path, reason: reason(code))
      }
      rest = rest.dropFirst(count)
    }
    guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else {
      let code = errno
      unlink(path)
      throw .io(path, reason: reason(code))
    }
  }

  static func sync(_ directory: String) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// The system's calls, whose names are methods elsewhere.
private enum Glue {
  static func read(_ descriptor: Int32, _ room: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, room, count)
    #else
      Darwin.read(descriptor, room, count)
    #endif
  }

  static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes, count)
    #else
      Darwin.write(descriptor, bytes, count)
    #endif
  }
}

extension FileManager {
  /// Follows symbolic links to the file itself; a path without links, or without a file, is its own.
  fileprivate func destination(of path: String) throws -> String {
    var path = path
    for _ in 0..<16 {
      guard let link = try? destinationOfSymbolicLink(atPath: path) else { return path }
      let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
      path = link.hasPrefix("/") ? link : directory + link
    }
    return path
  }
}
