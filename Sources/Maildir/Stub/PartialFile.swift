import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What has come so far of a message that is fetched in pieces: the server's bytes, from the first on, in a file that
/// outlives the run.
///
/// The file's first bytes say how many of those behind them are on the disk for certain. They are written after what they
/// count was synced, so a power cut costs what came since then and nothing else.
package final class PartialFile {
  /// Bytes of a piece; the last one of a message is shorter.
  package static let piece = 1 << 20
  private let name: String
  private let directory: Directory
  private let file: Descriptor
  private let path: String
  /// Bytes of the message.
  package private(set) var count: Int
  /// Of these, what the file's first bytes count.
  private var synced: Int

  private static let title = Array("mirror part 1\n".utf8)
  private static let digits = 17
  /// Where the message begins.
  private static let start = title.count + digits + 1

  private init(name: String, directory: Directory, file: consuming Descriptor, synced: Int) {
    self.name = name
    self.directory = directory
    self.file = file
    self.synced = synced
    count = synced
    path = directory.path + "/" + name
  }

  /// Opens what an earlier run left, or begins.
  ///
  /// - Parameter tree: of the account; such files lie in `.mirror/parts`.
  package static func open(_ name: String, in tree: AccountTree) throws(MaildirError) -> PartialFile
  {
    _ = try tree.control.makeDirectory("parts")
    guard let directory = try tree.control.directory("parts"),
      let file = try directory.open(name, O_RDWR | O_CREAT)
    else { throw .vanished(name: name) }
    let path = directory.path + "/" + name
    let size = Int(clamping: try file.facts(path: path).size)
    var head = [UInt8](repeating: 0, count: start)
    let read = try file.read(into: &head, path: path)
    let counted = read == start ? counted(head) : nil
    let partial = PartialFile(
      name: name, directory: directory, file: file,
      synced: min(counted ?? 0, max(0, size - start)))
    if counted == nil { try partial.writeCount() }
    try partial.cut(to: partial.count)
    return partial
  }

  private static func counted(_ head: [UInt8]) -> Int? {
    guard head.starts(with: title), head.last == ASCII.lf else { return nil }
    return Int(String(decoding: head[title.count..<(start - 1)], as: UTF8.self))
  }

  private func writeCount() throws(MaildirError) {
    let number = String(synced)
    let line =
      Self.title + Array((String(repeating: "0", count: Self.digits - number.count) + number).utf8)
      + [ASCII.lf]
    try file.rewind(to: 0, path: path)
    try file.write(line, path: path)
    try file.rewind(to: Int64(Self.start + count), path: path)
  }

  /// Forgets what came after the first `count` bytes.
  package func cut(to count: Int) throws(MaildirError) {
    self.count = count
    if synced > count {
      // Before other bytes come to stand there.
      synced = count
      try writeCount()
      try file.sync(path: path)
    }
    guard retrying({ ftruncate(file.raw, off_t(Self.start + count)) }) == 0 else {
      throw .failed("ftruncate", path, descriptor: directory.descriptor)
    }
    try file.rewind(to: Int64(Self.start + count), path: path)
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws(MaildirError) {
    try file.write(bytes, path: path)
    count += bytes.count
  }

  /// What came so far outlives the run, and a power cut.
  package func sync() throws(MaildirError) {
    guard synced < count else { return }
    try file.sync(path: path)
    synced = count
    try writeCount()
  }

  /// What has to stay free when a message is whole: for new mail, and for the state.
  private static let reserve: UInt64 = 4 << 20

  /// Whether the disk lacks room for the rest of a message, and for its file.
  ///
  /// - Parameters:
  ///   - size: bytes of the whole message.
  ///   - folder: where it will lie.
  /// - Returns: bytes that have to be free, and those that are; nil where there is room, or the disk does not tell.
  package func shortage(of size: Int64, in folder: MaildirFolder) -> (needed: UInt64, free: UInt64)?
  {
    let rest = UInt64(max(0, size - Int64(count)))
    let whole = UInt64(max(0, size))
    guard let own = FileSystemFacts(directory.descriptor),
      let target = FileSystemFacts(folder.directory(of: .cur).descriptor)
    else { return nil }
    let isOneDisk = own.identity == target.identity
    let needs = isOneDisk ? [(own, rest + whole)] : [(own, rest), (target, whole)]
    return needs.lazy.map { (needed: $0.1 + Self.reserve, free: $0.0.freeBytes) }
      .first { $0.free < $0.needed }
  }

  /// Removes what came of a message, whether or not it is open.
  package static func discard(_ name: String, in tree: AccountTree) throws(MaildirError) {
    try tree.control.directory("parts")?.unlink(name)
  }

  /// From the first byte on.
  package func read(_ body: (UnsafeRawBufferPointer) throws(MaildirError) -> Void)
    throws(MaildirError)
  {
    try file.rewind(to: Int64(Self.start), path: path)
    try CopyBlocks.run(from: file, path: path, body)
  }

  /// All of it; valid during the call.
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) throws(MaildirError) -> R {
    let length = Self.start + count
    guard let start = mmap(nil, length, PROT_READ, MAP_PRIVATE, file.raw, 0), start != MAP_FAILED
    else { throw .failed("mmap", path) }
    defer { munmap(start, length) }
    return body(
      UnsafeRawBufferPointer(
        rebasing: UnsafeRawBufferPointer(start: start, count: length)[Self.start...]))
  }

  package func remove() throws(MaildirError) { try directory.unlink(name) }
}
