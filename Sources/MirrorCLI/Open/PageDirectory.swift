import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

private let writeOut = write

/// Where pages wait for the browser: a directory that only its owner can read.
struct PageDirectory {
  private let path: String
  /// A browser may have a page open for long, and reads it again when it is started anew.
  private static let lifetime = 24 * 3600  // seconds

  init(_ path: String) { self.path = path }

  /// The session's own directory where there is one, else one of this user's below the temporary directory.
  static func standard() -> PageDirectory {
    if let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), runtime.hasPrefix("/")
    {
      return PageDirectory(runtime + "/mirror")
    }
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return PageDirectory("\(base)/mirror-\(getuid())")
  }

  /// Writes a page under a name that cannot be guessed, and removes those of yesterday.
  ///
  /// - Returns: its path.
  /// - Throws: ``OpenError/directory(_:reason:)`` where the directory is another's, or open to others.
  func write(_ page: [UInt8]) throws(OpenError) -> String {
    mkdir(path, 0o700)
    var facts = stat()
    guard lstat(path, &facts) == 0 else { throw .directory(path, reason: errno) }
    guard facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == getuid(), facts.st_mode & 0o077 == 0
    else { throw .directory(path, reason: EPERM) }
    removeOld()
    var template = Array((path + "/XXXXXX.html").utf8CString)
    let file = mkstemps(&template, 5)
    guard file >= 0 else { throw .directory(path, reason: errno) }
    defer { close(file) }
    var written = 0
    while written < page.count {
      let count = page.withUnsafeBytes { bytes in
        writeOut(file, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .directory(path, reason: errno) }
      written += count
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func removeOld() {
    guard let stream = opendir(path) else { return }
    defer { closedir(stream) }
    let now = time(nil)
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(".html") else { continue }
      var facts = stat()
      let file = path + "/" + name
      if lstat(file, &facts) == 0, now - facts.st_mtim.tv_sec > Self.lifetime { unlink(file) }
    }
  }
}

/// Why a page could not be opened. `reason` is an errno.
enum OpenError: Error, Equatable {
  case directory(String, reason: Int32)
  case noBrowser(page: String)
}

extension OpenError: Explained {
  var explanation: Explanation {
    switch self {
    case .directory(let path, let reason):
      Explanation(
        problem: "The page cannot be written to “\(path)”: \(String(cString: strerror(reason))).",
        remedy:
          "The directory has to be yours and closed to others; `show --html` prints the page.",
        exitStatus: reason == EPERM || reason == EACCES ? .refused : .inPart)
    case .noBrowser(let page):
      Explanation(
        problem: "No browser could be started.",
        remedy: "Name one in BROWSER; the page is \(page).", exitStatus: .inPart)
    }
  }
}
