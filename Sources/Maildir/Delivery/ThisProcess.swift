import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Who we are, for names and locks: machine, boot, process.
struct ThisProcess: Sendable {
  let machine: UInt64
  let boot: UInt64
  let process: Int32
  let start: UInt64

  static let current = ThisProcess(
    machine: XXH3.hash(machineIdentity()), boot: XXH3.hash(bootIdentity()), process: getpid(),
    start: startTime(of: getpid()) ?? 0)

  private static let numbers = Atomic<UInt64>(0)
  static func nextNumber() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

  /// The machine's own identity, else its host name.
  static func machineIdentity() -> [UInt8] {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      if let id = smallFile(path), !id.isEmpty { return id }
    }
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
  }

  /// Another value after every start of the system.
  private static func bootIdentity() -> [UInt8] {
    #if os(Linux)
      return smallFile("/proc/sys/kernel/random/boot_id") ?? []
    #else
      var size = 64
      var text = [CChar](repeating: 0, count: size)
      guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return [] }
      return text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    #endif
  }

  /// Nil when no such process lives. On Linux field 22 of /proc/PID/stat: clock ticks since the
  /// boot. One that ended and whose parent has not asked for its status yet (state Z or X) lives no more.
  static func startTime(of process: Int32) -> UInt64? {
    #if os(Linux)
      guard let status = smallFile("/proc/\(process)/stat"),
        let name = status.lastIndex(of: UInt8(ascii: ")"))
      else { return nil }
      // The program's name, in parentheses, is field 2 and may hold anything.
      let fields = status[(name + 1)...].split(separator: UInt8(ascii: " "))
      guard fields.count > 19, let state = fields[0].first, !Self.ended.contains(state) else {
        return nil
      }
      var digits = fields[19]
      return digits.takeUInt64()
    #else
      return kill(process, 0) == 0 || errno == EPERM ? 0 : nil
    #endif
  }

  #if os(Linux)
    private static let ended = Array("ZXx".utf8)
  #endif

  private static func smallFile(_ path: String) -> [UInt8]? {
    let raw = open(path, O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { return nil }
    let file = Descriptor(raw)
    var bytes = [UInt8](repeating: 0, count: 4096)
    guard let count = try? file.read(into: &bytes, path: path) else { return nil }
    bytes.removeSubrange(count...)
    while let last = bytes.last, ASCII.isBlank(last) { bytes.removeLast() }
    return bytes
  }
}
