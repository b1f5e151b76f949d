/// A path as the file system has it: any bytes but NUL.
package struct FileBytes: Sendable, Hashable, CustomStringConvertible {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }
  package init(_ text: String) { bytes = Array(text.utf8) }

  /// For people; what is no UTF-8 is replaced.
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The last level.
  package var name: ArraySlice<UInt8> {
    bytes[(bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0)...]
  }

  /// All but the last level, without its slash.
  package var parent: FileBytes {
    FileBytes(Array(bytes[..<(bytes.lastIndex(of: Self.slash) ?? 0)]))
  }

  package func appending(_ level: some Sequence<UInt8>) -> FileBytes {
    FileBytes(bytes + [Self.slash] + level)
  }

  package func appending(_ level: String) -> FileBytes { appending(level.utf8) }

  /// For calls of the system.
  package func withPath<Result, Failure>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let path = bytes.map { CChar(bitPattern: $0) } + [0]
    // A closure of typed throws and withUnsafeBufferPointer don't go together in every compiler.
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: path.count)
    defer { copy.deallocate() }
    copy.initialize(from: path, count: path.count)
    return try body(copy)
  }

  private static let slash = UInt8(ascii: "/")
}
