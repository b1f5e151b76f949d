import Foundation
import MailTestKit

/// `cp -a` of a folder, and what a person does with the copy.
extension PushWorld {
  private static let parts = ["cur", "new", "tmp"]

  private var olderCopy: String { "\(mirror.home)/copy" }

  func keepCopy(of folder: String) throws {
    removeTree(olderCopy)
    try FileManager.default.createDirectory(atPath: olderCopy, withIntermediateDirectories: true)
    for part in Self.parts {
      try runSuccessfully([
        "cp", "-a", "\(mirror.account)/\(self.folder(of: folder))/\(part)", olderCopy,
      ])
    }
  }

  func putBack(_ folder: String) throws {
    let aside = "\(mirror.home)/aside-\(newNumber())"
    try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true)
    for part in Self.parts {
      let place = "\(mirror.account)/\(self.folder(of: folder))/\(part)"
      try FileManager.default.moveItem(atPath: place, toPath: "\(aside)/\(part)")
      try runSuccessfully(["cp", "-a", "\(olderCopy)/\(part)", place])
    }
    self.aside[folder] = aside
  }

  /// Only what the older copy has not.
  func bringBack(_ folder: String) throws -> Bool {
    guard let aside = aside[folder] else { return false }
    let held = model.tokens.filter { model.messages[$0]?.isHeld == true }
    for part in ["cur", "new"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(aside)/\(part)") {
        let path = "\(aside)/\(part)/\(name)"
        let bytes = try readFile(path)
        guard held.contains(where: { contains(bytes, Array("<\($0)@".utf8)) }) else { continue }
        try runSuccessfully([
          "cp", "-a", path, "\(mirror.account)/\(self.folder(of: folder))/\(part)/",
        ])
      }
    }
    return true
  }

  func confirm() throws {
    let outcome = try mirror.run(["push", "--allow-mass-delete"])
    guard outcome.status == 0 else { throw KitError("confirmed: \(outcome.summary)") }
  }
}
