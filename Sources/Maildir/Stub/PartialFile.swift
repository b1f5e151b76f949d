#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What has come so far of a message that is fetched in pieces: the server's bytes, from the first on, in a file that
/// outlives the run.
///
/// A piece is on the disk before the next one is begun, so after a power cut all but the last piece are as they came.
package final class PartialFile {
  /// Bytes of a piece; the last one of a message is shorter.
  package static let piece = 1 << 20
  private let name: String
  private let directory: Directory
  private let file: Descriptor
  private let path: String
  package private(set) var count: Int

  private init(name: String, directory: Directory, file: consuming Descriptor, count: Int) {
    self.name = name
    self.directory = directory
    self.file = file
    self.count = count
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
    let size = Int(clamping: try file.facts(path: directory.path).size)
    // The last piece may not have reached the disk.
    let kept = size == 0 ? 0 : (size - 1) / piece * piece
    let partial = PartialFile(name: name, directory: directory, file: file, count: kept)
    try partial.cut(to: kept)
    return partial
  }

  /// Forgets what came after the first `count` bytes.
  package func cut(to count: Int) throws(MaildirError) {
    guard retrying({ ftruncate(file.raw, off_t(count)) }) == 0 else {
      throw .failed("ftruncate", path, descriptor: directory.descriptor)
    }
    self.count = count
    try file.rewind(to: Int64(count), path: path)
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws(MaildirError) {
    try file.write(bytes, path: path)
    count += bytes.count
  }

  /// Before the next piece is begun.
  package func sync() throws(MaildirError) { try file.sync(path: path) }

  /// From the first byte on.
  package func read(_ body: (UnsafeRawBufferPointer) throws(MaildirError) -> Void)
    throws(MaildirError)
  {
    try file.rewind(to: 0, path: path)
    try CopyBlocks.run(from: file, path: path, body)
  }

  package func remove() throws(MaildirError) { try directory.unlink(name) }
}
