import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Complete files in `tmp/` directories that become messages together: synced, renamed, directories
/// synced.
///
/// Only when ``commit()`` has returned may the state say that the messages are here.
package struct DeliveryBatch: Sendable {
  private let policy: MaildirPolicy
  private var staged: [StagedMessage] = []
  /// Bytes on disk of what waits.
  package private(set) var bytes: UInt64 = 0

  private static let tries = 1000

  package init(policy: MaildirPolicy) { self.policy = policy }

  package var isEmpty: Bool { staged.isEmpty }

  package mutating func add(_ message: StagedMessage) {
    staged.append(message)
    bytes += message.size
  }

  /// Unlinks everything that waits.
  package mutating func discard() {
    for message in staged { Self.discard(message) }
    forget()
  }

  package struct Outcome: Sendable {
    /// Safe in their folders, in the order they were added.
    package var delivered: [DeliveredMessage] = []
    /// Set when the batch stopped early. What is not in `delivered` was discarded.
    package var failure: MaildirError?
  }

  /// Makes the files messages. The batch is empty afterwards.
  package mutating func commit() -> Outcome {
    defer { forget() }
    var outcome = Outcome()
    var touched: [Directory] = []
    do throws(MaildirError) {
      if policy.fsync { try syncFiles() }
      for message in staged {
        outcome.delivered.append(try deliver(message))
        let directory = message.folder.directory(of: message.subdirectory)
        if !touched.contains(where: { $0 === directory }) { touched.append(directory) }
      }
    } catch {
      outcome.failure = error
      for message in staged[outcome.delivered.count...] { Self.discard(message) }
    }
    guard policy.fsync else { return outcome }
    do throws(MaildirError) {
      for directory in touched { try directory.sync() }
    } catch {
      // The files are there, but may not be after a power cut: the next run finds them by their
      // names.
      outcome.delivered = []
      outcome.failure = error
    }
    return outcome
  }

  private func syncFiles() throws(MaildirError) {
    if try BatchSync.syncTogether(staged.map(\.folder.tmp)) { return }
    for message in staged {
      let tmp = message.folder.tmp
      guard let file = try tmp.open(message.temporaryName, O_RDONLY) else {
        throw .vanished(name: message.temporaryName.forPeople)
      }
      try file.sync(path: tmp.path)
    }
  }

  private func deliver(_ message: StagedMessage) throws(MaildirError) -> DeliveredMessage {
    let target = message.folder.directory(of: message.subdirectory)
    var name = message.name
    for ordinal in 2...Self.tries {
      let bytes = name.bytes(separator: message.separator)
      if try message.folder.tmp.rename(message.temporaryName, to: target, bytes) {
        return DeliveredMessage(
          folder: message.folder.path,
          file: MessageFile(subdirectory: message.subdirectory, name: bytes),
          digest: message.digest, facts: message.facts)
      }
      name.base = NameClash.base(message.name.base, ordinal: ordinal)
    }
    throw .nameTaken(name: message.name.base.forPeople)
  }

  private static func discard(_ message: StagedMessage) {
    _ = try? message.folder.tmp.unlink(message.temporaryName)
  }

  private mutating func forget() {
    staged = []
    bytes = 0
  }
}

/// The names to try when one is taken.
enum NameClash {
  /// `~2`, `~3`, … behind the base; an ordinal that stands there already is counted on from. A rewritten file's mark
  /// is counted on instead.
  static func base(_ base: [UInt8], ordinal: Int) -> [UInt8] {
    var rewritten = RewrittenName(base)
    if rewritten.count > 0 {
      rewritten.count = rewritten.count &+ UInt32(ordinal - 1)
      return rewritten.base
    }
    var name = base
    if let birth = BirthName(base: base), birth.ordinal > 1,
      let tilde = base.lastIndex(of: UInt8(ascii: "~"))
    {
      name.removeSubrange(tilde...)
      name.append(UInt8(ascii: "~"))
      name.appendDecimal(Int64(birth.ordinal + ordinal - 1))
      return name
    }
    name.append(UInt8(ascii: "~"))
    name.appendDecimal(Int64(ordinal))
    return name
  }
}
