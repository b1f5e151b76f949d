import Foundation

/// Where the manual's pages lie: beside the program, else where the system's `man` looks.
struct ManualPlaces {
  /// The program's own file, symbolic links resolved.
  let program: String
  /// Finds a page by `man`; nil where there is none.
  var system: (ManualPage) -> String? = { _ in nil }

  func path(of pages: [ManualPage]) -> String? {
    for page in pages {
      if let path = beside(page) ?? system(page) { return path }
    }
    return nil
  }

  private func beside(_ page: ManualPage) -> String? {
    var places = [Self.parent(Self.parent(program)) + "/share/man/man\(page.section)"]
    // Built and not installed: the sources have the pages.
    if let build = program.range(of: "/.build/") {
      places.append("\(program[..<build.lowerBound])/man")
    }
    for place in places {
      for ending in ["", ".gz"] {
        let path = "\(place)/\(page.fileName)\(ending)"
        if access(path, R_OK) == 0 { return path }
      }
    }
    return nil
  }

  private static func parent(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// A program of the search path.
  static func find(_ name: String, path: String?) -> String? {
    for directory in (path ?? "/usr/bin:/bin").split(separator: ":") {
      let candidate = "\(directory)/\(name)"
      if directory.hasPrefix("/"), access(candidate, X_OK) == 0 { return candidate }
    }
    return nil
  }
}
