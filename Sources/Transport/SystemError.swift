#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system's words for an errno value.
func systemReason(_ code: Int32) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
    guard let base = buffer.baseAddress else { return "error \(code)" }
    base.initialize(repeating: 0, count: buffer.count)
    return strerror_r(code, base, buffer.count) == 0 ? String(cString: base) : "error \(code)"
  }
}
