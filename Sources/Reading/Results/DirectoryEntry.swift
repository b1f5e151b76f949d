#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Names in a directory, byte for byte.
enum DirectoryEntry {
  #if canImport(Glibc)
    typealias Stream = OpaquePointer
  #else
    typealias Stream = UnsafeMutablePointer<DIR>
  #endif

  /// The next name, `.` and `..` among them; nil at the end.
  static func next(_ stream: Stream) -> [UInt8]? {
    guard let entry = readdir(stream) else { return nil }
    return withUnsafeBytes(of: &entry.pointee.d_name) { name in
      Array(name.prefix { $0 != 0 })
    }
  }
}
