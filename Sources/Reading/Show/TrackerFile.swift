import SafeHTML

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The list of trackers: the user's own, `mirror/trackers.txt` in the data directory, where there is one, else the project's.
enum TrackerFile {
  static let list = read() ?? .standard

  private static func read() -> TrackerList? {
    let data = variable("XDG_DATA_HOME") ?? variable("HOME").map { $0 + "/.local/share" }
    guard let data, data.hasPrefix("/"),
      let file = try? MessageBytes.load([FileBytes(data + "/mirror/trackers.txt")])
    else { return nil }
    return TrackerList(String(decoding: file.bytes, as: UTF8.self))
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
