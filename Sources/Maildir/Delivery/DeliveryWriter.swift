import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Takes one message after another from the server and writes each into a folder's `tmp/`.
///
/// One writer per connection. Messages up to 64 KiB are written in one call; larger ones stream,
/// so memory stays at two such buffers. Line ends, hashes and the keywords line are dealt with on
/// the way.
package final class DeliveryWriter {
  private let policy: MaildirPolicy
  private var hasher: MessageHasher
  /// Server bytes not yet written.
  private let raw: ByteBuffer
  /// The same with LF line ends.
  private let converted: ByteBuffer
  private var message: Message?

  static let bufferSize = 64 * 1024

  /// The message under way.
  private struct Message {
    let folder: MaildirFolder
    var serverSize: UInt64 = 0
    var asCame = false
    /// The file, once the message outgrew the buffer.
    var file: PartFile?
    var expectedKeywords: Keywords?
    /// Parts of the message are missing from it.
    var stub: StubLine?
    /// The lines of ours that stand in the file already.
    var writtenLine: [UInt8] = []
    /// The first server bytes, for the keywords line's rule.
    var head: [UInt8] = []
  }

  package init(policy: MaildirPolicy) {
    self.policy = policy
    hasher = MessageHasher(labelName: policy.labelName)
    raw = ByteBuffer(capacity: Self.bufferSize)
    converted = ByteBuffer(capacity: Self.bufferSize)
  }

  deinit { abandon() }

  /// Starts a message; one that was under way is abandoned.
  ///
  /// - Parameters:
  ///   - keywords: when they are known before the body: a large message is then written only once.
  ///   - stub: what is written is a stub: this line goes on top.
  package func begin(in folder: MaildirFolder, keywords: Keywords? = nil, stub: StubLine? = nil) {
    abandon()
    raw.clear()
    hasher.reset()
    message = Message(folder: folder, expectedKeywords: keywords, stub: stub)
  }

  /// Takes the next server bytes; where pieces are cut makes no difference.
  ///
  /// - Throws: what the disk refuses. The message is then to be abandoned.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(MaildirError) {
    guard message != nil else { return }
    var rest = bytes
    while !rest.isEmpty {
      if raw.free == 0 { try spill(isLast: false) }
      let count = min(raw.free, rest.count)
      raw.append(UnsafeRawBufferPointer(rebasing: rest[..<count]))
      message?.serverSize += UInt64(count)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Completes the file in `tmp/`: all of it written, mtime set, nothing synced yet.
  ///
  /// - Parameters:
  ///   - internalDate: Unix seconds.
  ///   - base: the name it is to get, as ``BirthName/base``.
  package func finish(marks: MessageMarks, internalDate: Int64, base: [UInt8])
    throws(MaildirError) -> StagedMessage
  {
    guard message != nil else { throw .vanished(name: base.forPeople) }
    do throws(MaildirError) {
      let staged = try complete(marks, internalDate, base)
      message = nil
      return staged
    } catch {
      abandon()
      throw error
    }
  }

  /// Writes out what is left, and hands over the file, without a date yet.
  func finishPart(_ keywords: Keywords) throws(MaildirError) -> (
    folder: MaildirFolder, part: PartFile, digest: MessageDigest
  ) {
    do throws(MaildirError) {
      let file = try written(keywords)
      guard let message else { throw .vanished(name: "") }
      let digest = hasher.finish(
        serverSize: message.serverSize, asCame: message.asCame, stub: message.stub)
      self.message = nil
      return (message.folder, file, digest)
    } catch {
      abandon()
      throw error
    }
  }

  /// Forgets the message under way and unlinks what was written of it.
  package func abandon() {
    message?.file?.discard()
    message = nil
  }

  private func complete(_ marks: MessageMarks, _ internalDate: Int64, _ base: [UInt8])
    throws(MaildirError) -> StagedMessage
  {
    let file = try written(marks.keywords)
    guard let message else { throw .vanished(name: base.forPeople) }
    var letters = KeywordLetters()
    var leftOut = Keywords.none
    if policy.keywords == .dovecot, !marks.keywords.isEmpty {
      (letters, leftOut) = try DovecotKeywords.letters(
        for: marks.keywords, in: message.folder, fsync: policy.fsync)
    }
    let facts = try file.complete(modified: internalDate)
    let (subdirectory, name) = StagedMessage.place(base: base, flags: marks.flags, letters: letters)
    return StagedMessage(
      digest: hasher.finish(
        serverSize: message.serverSize, asCame: message.asCame, stub: message.stub),
      folder: message.folder, keywordsLeftOut: leftOut, temporaryName: file.name,
      subdirectory: subdirectory, name: name, separator: policy.separator, facts: facts)
  }

  private func written(_ keywords: Keywords) throws(MaildirError) -> PartFile {
    if message?.file == nil { return try writeWhole(keywords) }
    try spill(isLast: true)
    return try streamed(with: keywords)
  }

  /// The common case: the whole message is in the buffer and goes out in one write.
  private func writeWhole(_ keywords: Keywords) throws(MaildirError) -> PartFile {
    let step = convert(isLast: true)
    hasher.feed(converted.bytes)
    message?.asCame = !step.isReversible
    guard let message else { throw .vanished(name: "") }
    let keepsBytes = message.asCame || policy.lineEndings == .crlf
    let content = keepsBytes ? raw : converted
    let line = front(keywords, before: content.bytes)
    let file = try PartFile.create(in: message.folder)
    self.message?.file = file
    if let whole = content.bytes(behind: line) {
      try file.write(whole)
    } else {
      try file.write(line)
      try file.write(content.bytes)
    }
    return file
  }

  /// Writes the buffer's content out; a CR at its end stays, because its LF may be the next byte.
  private func spill(isLast: Bool) throws(MaildirError) {
    if message?.file == nil { try beginStreaming() }
    let step = convert(isLast: isLast)
    hasher.feed(converted.bytes)
    if !step.isReversible, message?.asCame == false {
      message?.asCame = true
      if policy.lineEndings == .lf, let file = message?.file {
        let start = message?.writtenLine.count ?? 0
        message?.file = try file.restoringCRLF(behind: start)
      }
    }
    guard let message, let file = message.file else { return }
    if message.asCame || policy.lineEndings == .crlf {
      try file.write(UnsafeRawBufferPointer(rebasing: raw.bytes[..<step.read]))
    } else {
      try file.write(converted.bytes)
    }
    raw.consume(step.read)
  }

  private func beginStreaming() throws(MaildirError) {
    guard let folder = message?.folder else { return }
    let file = try PartFile.create(in: folder)
    message?.file = file
    message?.head = Array(raw.bytes.prefix(128))
    let line = front(message?.expectedKeywords ?? .none, before: raw.bytes)
    message?.writtenLine = line
    try file.write(line)
  }

  /// The streamed file with the line that the marks ask for, written anew where another stands
  /// there.
  private func streamed(with keywords: Keywords) throws(MaildirError) -> PartFile {
    guard let message, let file = message.file else { throw .vanished(name: "") }
    let line = message.head.withUnsafeBytes { front(keywords, before: $0) }
    if line == message.writtenLine { return file }
    let rewritten = try file.replacingFront(message.writtenLine.count, with: line)
    self.message?.file = rewritten
    return rewritten
  }

  /// The lines of ours above the server's bytes.
  private func front(_ keywords: Keywords, before head: UnsafeRawBufferPointer) -> [UInt8] {
    policy.front(message?.stub, keywords, before: head)
  }

  private func convert(isLast: Bool) -> LineConverter.Step {
    converted.clear()
    guard let room = converted.room.baseAddress else {
      return LineConverter.Step()
    }
    let step = LineConverter.toLF(raw.bytes, into: room, isLast: isLast)
    converted.grow(by: step.written)
    return step
  }
}
