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
    try bring(message, to: to)
  }
  let wanted = Set(source.messages.map(\.path))
  for message in before.messages where deletes && !wanted.contains(message.path) {
    unlink("\(to.account)/\(message.path)")
  }
}

private func bring(_ message: LocalMessage, to machine: MirrorProgram) throws {
  let temporary = "\(machine.account)/\(message.folder)/tmp/.\(message.base).carried"
  try writeFile(temporary, message.raw)
  let date = timespec(tv_sec: time_t(message.modified), tv_nsec: 0)
  utimensat(AT_FDCWD, temporary, [date, date], 0)
  guard rename(temporary, "\(machine.account)/\(message.path)") == 0 else {
    throw KitError("rename to \(message.path): \(errno)")
  }
}

/// Two trees that are kept the same, as Syncthing does it: what came on one side since the last time comes to the other,
/// and what went goes there, too.
final class SharedTree {
  private let machines: [MirrorProgram]
  private var common: Set<String> = []

  init(_ one: MirrorProgram, _ other: MirrorProgram) throws {
    machines = [one, other]
    try exchange()
  }

  func exchange() throws {
    let trees = try machines.map { try $0.tree() }
    let paths = trees.map { Set($0.messages.map(\.path)) }
    for (from, to) in [(0, 1), (1, 0)] {
      for message in trees[from].messages
      where !paths[to].contains(message.path) && !common.contains(message.path) {
        try bring(message, to: machines[to])
      }
    }
    for path in common {
      for (from, to) in [(0, 1), (1, 0)]
      where !paths[from].contains(path) && paths[to].contains(path) {
        unlink("\(machines[to].account)/\(path)")
      }
    }
    common = Set(try machines[0].tree().messages.map(\.path))
  }
}
