import Foundation

/// Opens an address in the person's browser, and waits for nothing.
struct BrowserOpening {
  let environment: [String: String]

  /// Whether there is a browser that can show itself to somebody.
  var isPossible: Bool {
    #if os(macOS)
      return true
    #else
      let hints = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]
      return hints.contains { !(environment[$0] ?? "").isEmpty } && program != nil
    #endif
  }

  /// False where it could not be started; what it does then is its own business.
  func open(_ url: String) -> Bool {
    guard let program else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [url]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return (try? process.run()) != nil
  }

  /// `BROWSER` where it names one program; what is a list or a template is left to the desktop's opener.
  private var program: String? {
    #if os(macOS)
      let opener = "open"
    #else
      let opener = "xdg-open"
    #endif
    let own = environment["BROWSER"] ?? ""
    let isPlain = !own.isEmpty && !own.contains(where: { ":% ".contains($0) })
    let names = isPlain ? [own, opener] : [opener]
    return names.lazy.compactMap(path).first
  }

  private func path(of name: String) -> String? {
    if name.contains("/") { return FileManager.default.isExecutableFile(atPath: name) ? name : nil }
    let directories = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return directories.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
