import MailTestKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A tree in which somebody is always at work: delivering, reading, filing, relabelling and removing.
final class BusyTree {
  let index: IndexProgram
  private var random: SeededGenerator
  private var mail: ThreadedMail
  private var office: MailGenerator
  private var number = 0
  private let folders = ["personal/INBOX", "personal/Archive", "work/INBOX"]

  init(seed: UInt64, count: Int) throws {
    index = try IndexProgram()
    random = SeededGenerator(seed: seed)
    mail = ThreadedMail(seed: seed)
    office = MailGenerator(seed: seed, count: 2000)
    for message in mail.messages(count) { try deliver(message) }
  }

  /// Delivers so many new messages.
  func deliver(_ count: Int) throws { for message in mail.messages(count) { try deliver(message) } }

  private func deliver(_ message: SampleMessage) throws {
    number += 1
    try index.deliver(message, name: "\(message.date).\(number).busy", to: random.pick(folders))
  }

  /// Does `count` things by chance.
  func work(_ count: Int) throws {
    for _ in 0..<count {
      switch random.below(10) {
      case 0...2: for message in mail.messages(3) { try deliver(message) }
      case 3: try deliver(office.next())
      case 4: try copy()
      case 5: try move()
      case 6, 7: try flag()
      case 8: try relabel()
      default: try remove()
      }
    }
  }

  private struct File {
    var account: String
    var message: LocalMessage
    var path: String { "\(account)/\(message.path)" }
  }

  private func anyFile() throws -> File? {
    let account = index.root + "/" + random.pick(["personal", "personal", "work"])
    guard isDirectory(account) else { return nil }
    let tree = try MaildirTree(account)
    return tree.messages.isEmpty ? nil : File(account: account, message: random.pick(tree.messages))
  }

  private func copy() throws {
    guard let file = try anyFile() else { return }
    number += 1
    try writeFile(
      "\(index.root)/\(random.pick(folders))/cur/copy.\(number):2,S", file.message.raw)
  }

  private func move() throws {
    guard let file = try anyFile() else { return }
    number += 1
    rename(file.path, "\(index.root)/\(random.pick(folders))/cur/moved.\(number):2,S")
  }

  private func flag() throws {
    guard let file = try anyFile() else { return }
    let letters = random.pick(["", "S", "FS", "RS", "FRS", "ST"])
    rename(
      file.path, "\(file.account)/\(file.message.folder)/cur/\(file.message.base):2,\(letters)")
  }

  private func relabel() throws {
    guard let file = try anyFile() else { return }
    let line = random.pick(["", "X-Keywords: one\n", "X-Keywords: one, two\n"])
    let temporary = "\(file.account)/\(file.message.folder)/tmp/relabel"
    try writeFile(temporary, Array(line.utf8) + file.message.content())
    let date = timespec(tv_sec: time_t(file.message.modified), tv_nsec: 0)
    utimensat(AT_FDCWD, temporary, [date, date], 0)
    rename(temporary, file.path)
  }

  private func remove() throws {
    guard let file = try anyFile() else { return }
    unlink(file.path)
  }
}
