#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The absolute path with all symbolic links followed; nil where nothing is there.
package func realPath(_ path: String) -> String? {
  guard let real = realpath(path, nil) else { return nil }
  defer { free(real) }
  return String(cString: real)
}
