import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The user's browser: what BROWSER names, else the desktop's.
enum Browser {
  /// Starts it with a page and waits until it has taken it; one on the terminal until it ends.
  static func open(_ page: String) throws(BrowserError) {
    for command in commands() where run(command, page) { return }
    throw .none(page: page)
  }

  /// BROWSER may name several with colons between, `%s` in one standing for the page.
  private static func commands() -> [String] {
    let named = getenv("BROWSER").map { String(cString: $0) } ?? ""
    #if os(macOS)
      let desktop = ["open"]
    #else
      let desktop = ["xdg-open", "sensible-browser"]
    #endif
    return named.split(separator: ":").map(String.init) + desktop
  }

  private static func run(_ command: String, _ page: String) -> Bool {
    var words = command.split(separator: " ").map { String($0).replacing("%s", with: page) }
    guard let program = words.first else { return false }
    if !command.contains("%s") { words.append(page) }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    guard posix_spawnp(&process, program, nil, nil, &arguments, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    // 127: a shell that found no such program, which posix_spawnp may be, too.
    return status & 0x7F != 0 || status >> 8 & 0xFF == 0
  }
}

/// Why a page could not be shown.
enum BrowserError: Error, Equatable {
  case none(page: String)
}

extension BrowserError: Explained {
  var explanation: Explanation {
    switch self {
    case .none(let page):
      Explanation(
        problem: "No browser could be started.",
        remedy: "Name one in BROWSER; the page is \(page).", exitStatus: .inPart)
    }
  }
}
