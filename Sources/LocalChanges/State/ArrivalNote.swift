import Foundation
import MailCore

/// What runs beside a watch brought: for the watch, which tells of all new mail, whoever brought it. Written while the
/// account is locked, one line for a run.
extension TreeWitness {
  /// A failure to write is no reason to fail a run.
  package func noteArrivals(_ uids: [String: UIDSet]) {
    let texts = uids.filter { !$0.value.isEmpty }.mapValues {
      $0.ranges.map { [$0.lowerBound, $0.upperBound] }
    }
    guard !texts.isEmpty, let path = place("arrived"), let line = try? JSONEncoder().encode(texts)
    else { return }
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    try? FileHandle(fileDescriptor: file).write(contentsOf: line + Data("\n".utf8))
  }

  /// By names of mailboxes; nothing is kept of it.
  package func takeArrivals() -> [String: UIDSet] {
    guard let path = place("arrived"), let data = FileManager.default.contents(atPath: path) else {
      return [:]
    }
    unlink(path)
    return data.split(separator: UInt8(ascii: "\n")).reduce(into: [:]) { all, line in
      let noted = (try? JSONDecoder().decode([String: [[UInt32]]].self, from: line)) ?? [:]
      for (mailbox, ranges) in noted {
        let uids = UIDSet(
          ranges: ranges.compactMap { $0.count == 2 && $0[0] <= $0[1] ? $0[0]...$0[1] : nil })
        all[mailbox] = (all[mailbox] ?? UIDSet()).union(uids)
      }
    }
  }
}
