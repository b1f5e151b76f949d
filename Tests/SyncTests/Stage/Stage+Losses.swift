import Foundation
import MailTestKit
import Testing

/// What is lost with a disk.
extension Stage {
  /// The state and its backup are gone; the files stay.
  func loseState() throws {
    reopen()
    let control = path + "/.mirror"
    for name in try FileManager.default.contentsOfDirectory(atPath: control)
    where name.hasPrefix("state") {
      try FileManager.default.removeItem(atPath: control + "/" + name)
    }
  }

  /// A copy of m0 under its own name in Work; the state is lost, and with it m0's own file.
  func loseOriginal(hasBackup: Bool = false, before: () throws -> Void = {}) throws {
    let message = try local("m0")
    try reader.deliver(message.raw, name: message.base, to: "Work", flags: message.flags)
    push()
    pull()
    try before()
    if hasBackup {
      reopen()
      try FileManager.default.removeItem(atPath: path + "/.mirror/state.db")
    } else {
      try loseState()
    }
    try reader.remove(local("m0", in: "INBOX"))
    forget()
  }
}
