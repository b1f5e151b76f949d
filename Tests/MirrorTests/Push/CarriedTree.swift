import Foundation
import MailTestKit

/// What rsync or Syncthing does with an account's tree: message files come along, `.mirror` does not.
func carryTree(from: MirrorProgram, to: MirrorProgram, deletes: Bool = true) throws {
  let source = try from.tree()
  let before = try to.tree()
  for folder in source.folders {
    for part in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: "\(to.account)/\(folder)/\(part)", withIntermediateDirectories: true)
    }
  }
  let there = Dictionary(before.messages.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
  for message in source.messages where there[message.path]?.raw != message.raw {
    let temporary = "\(to.account)/\(message.folder)/tmp/.\(message.base).carried"
    try writeFile(temporary, message.raw)
    let date = timespec(tv_sec: time_t(message.modified), tv_nsec: 0)
    utimensat(AT_FDCWD, temporary, [date, date], 0)
    guard rename(temporary, "\(to.account)/\(message.path)") == 0 else {
      throw KitError("rename to \(message.path): \(errno)")
    }
  }
  let wanted = Set(source.messages.map(\.path))
  for message in before.messages where deletes && !wanted.contains(message.path) {
    unlink("\(to.account)/\(message.path)")
  }
}
