import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Takes one message into the queue (promise 7). It waits for no lock and no run.
///
/// The message counts as queued from one rename on, into `new/`; by then its bytes and its envelope
/// are on disk. Whatever is left by a process that died before that is no entry, and
/// ``OutboxSender/clean(at:)`` takes it away.
package final class OutboxAcceptance {
  package let id: QueueID
  private let folders: OutboxFolders
  private let identity: TreeIdentity
  private let temporaryName: [UInt8]
  private let file: Descriptor
  private let hash: XXH3.Stream
  private var size: UInt64 = 0
  private var lines: UInt64 = 0
  private var isOpen = true

  /// Makes the outbox where it is missing.
  package init(in tree: AccountTree) throws(MaildirError) {
    id = QueueID.random()
    folders = try OutboxFolders.create(in: tree.control)
    identity = try tree.identity()
    temporaryName = TemporaryName.next()
    guard let file = try folders.tmp.create(temporaryName) else {
      throw .nameTaken(name: String(decoding: temporaryName, as: UTF8.self))
    }
    self.file = file
    hash = XXH3.Stream()
  }

  deinit { abandon() }

  /// The next of the message's frozen bytes, line ends LF.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(MaildirError) {
    note(bytes)
    try file.write(bytes, path: folders.tmp.path)
  }

  package func write(_ bytes: [UInt8]) throws(MaildirError) {
    bytes.withUnsafeBytes { note($0) }
    try file.write(bytes, path: folders.tmp.path)
  }

  private func note(_ bytes: UnsafeRawBufferPointer) {
    hash.feed(bytes)
    size += UInt64(bytes.count)
    var found: UInt64 = 0
    for byte in bytes { found &+= byte == 0x0A ? 1 : 0 }
    lines += found
  }

  /// What is written so far, line ends CRLF.
  package var wireSize: UInt64 { size + lines }

  /// Forgets the message and unlinks what was written of it.
  package func abandon() {
    guard isOpen else { return }
    isOpen = false
    _ = try? folders.tmp.unlink(temporaryName)
  }

  /// Queues the message. When this returns, it is safe from a power cut; when it throws, it is not
  /// queued.
  ///
  /// - Parameters:
  ///   - recipients: at least one, each well formed, none twice: the caller has checked.
  ///   - held: queue it parked, for this reason.
  package func commit(
    sender: String, recipients: [String], messageID: String?, subject: String?,
    needs: TransportNeeds = [], notify: String? = nil, held: String? = nil,
    at now: QueueInstant = .now()
  ) throws(MaildirError) -> SubmissionEnvelope {
    guard isOpen, !recipients.isEmpty else { throw .vanished(name: id.text) }
    do throws(MaildirError) {
      try file.sync(path: folders.tmp.path)
      let mark = try QueueFileFacts(file, path: folders.tmp.path).mark
      let message = FrozenMessage(
        size: size, wireSize: wireSize, hash: hash.value, inode: mark.inode,
        birthTime: mark.birthTime)
      let envelope = SubmissionEnvelope(
        id: id, queued: now, tree: identity, message: message,
        temporaryName: String(decoding: temporaryName, as: UTF8.self), sender: sender,
        recipients: recipients, messageID: messageID, subject: subject, needs: needs,
        notify: notify)
      var phase = QueuePhase(recipients: recipients.count)
      phase.changed = now
      if let held {
        phase.state = .held
        phase.error = held
      }
      // First the envelope, which tells whose leftover it is if we die here. The phase's sync of the directory holds
      // for both.
      try folders.entries.replace(
        EnvelopeFile.name(id), with: EnvelopeFile.bytes(envelope), durably: false)
      try folders.write(phase, of: id, durably: true)
      try publish(Array(id.baseName(queued: now.seconds).utf8), phase)
      isOpen = false
      return envelope
    } catch {
      withdrawRecords()
      abandon()
      throw error
    }
  }

  private func publish(_ base: [UInt8], _ phase: QueuePhase) throws(MaildirError) {
    guard try folders.tmp.rename(temporaryName, to: folders.new, base, byLinks: false) else {
      throw .nameTaken(name: String(decoding: base, as: UTF8.self))
    }
    do throws(MaildirError) {
      if let failure = failsSync?() { throw failure }
      try folders.new.sync()
    } catch {
      try withdraw(base, phase, error)
    }
  }

  /// For tests: why the sync that ends the acceptance fails.
  var failsSync: (() -> MaildirError?)?

  /// The caller will hear that it failed and may try again: it must not be sent as well. Where a push has
  /// it in hand already, it did not fail.
  private func withdraw(_ base: [UInt8], _ phase: QueuePhase, _ failure: MaildirError)
    throws(MaildirError)
  {
    let lock = try FileLock.take(OutboxFolders.changesLock, in: folders.outbox, waiting: true)
    defer { withExtendedLifetime(lock) {} }
    let bytes = try folders.entries.read(PhaseFile.name(id), atMost: PhaseFile.limit)
    if let bytes, (try? PhaseFile.read(bytes, recipients: phase.recipients.count))?.phase != phase {
      return
    }
    if try !folders.new.unlink(base), let moved = try folders.messages()[id] {
      try folders.directory(of: moved).unlink(moved.name)
    }
    throw failure
  }

  private func withdrawRecords() {
    _ = try? folders.entries.unlink(Array(PhaseFile.name(id).utf8))
    _ = try? folders.entries.unlink(Array(EnvelopeFile.name(id).utf8))
  }
}
