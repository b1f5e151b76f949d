import Foundation

/// A peer's configuration file: found, read, understood.
package struct PeerConfiguration: Sendable {
  package var trees: [PeerTree] = []
  /// Nil where there is none.
  package private(set) var file: String?

  private static let longest = 4 << 20

  /// - Parameter file: as the user named it; nil for where the peer looks for it.
  /// - Throws: ``MovingError/unreadable(_:reason:)``.
  package init(_ tool: PeerTool, file: String?, environment: [String: String])
    throws(MovingError)
  {
    let home = environment["HOME"] ?? ""
    let places = file.map { [$0] } ?? Self.places(tool, home: home, environment: environment)
    guard
      let found = places.first(where: {
        file != nil || FileManager.default.fileExists(atPath: $0)
      })
    else { return }
    let text = try Self.read(found)
    self.file = found
    switch tool {
    case .mbsync: trees = MbsyncConfiguration(text, home: home).trees
    case .offlineimap:
      trees = OfflineimapConfiguration(text, environment: environment).trees
    case .notmuch, .mu: break
    }
  }

  private static func places(_ tool: PeerTool, home: String, environment: [String: String])
    -> [String]
  {
    let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let directory = base ?? home + "/.config"
    switch tool {
    case .mbsync: return [home + "/.mbsyncrc", directory + "/isyncrc"]
    case .offlineimap: return [directory + "/offlineimap/config", home + "/.offlineimaprc"]
    case .notmuch, .mu: return []
    }
  }

  private static func read(_ path: String) throws(MovingError) -> String {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw .unreadable(path, reason: String(cString: strerror(errno)))
    }
    defer { try? handle.close() }
    let data: Data?
    do { data = try handle.read(upToCount: longest + 1) } catch {
      throw .unreadable(path, reason: error.localizedDescription)
    }
    guard let data else { throw .emptyConfiguration(path) }
    guard data.count <= longest else { throw .longConfiguration(path) }
    return String(decoding: data, as: UTF8.self)
  }
}
