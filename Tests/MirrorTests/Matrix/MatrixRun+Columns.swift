import Foundation
import MailTestKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension MatrixRun {
  /// - Returns: why it had to be left out, if so.
  func fill(_ column: MatrixColumn) throws -> String? {
    switch column {
    case .firstPull:
      try run("pull")
      try compare()
    case .noOp: try settle()
    case .delta:
      try append(["d0", "d1"])
      try expungeThere("m0")
      try run("pull")
      try settle()
    case .flags:
      try storeThere("m1", "+FLAGS", ["\\Flagged"])
      try reader.setFlags(local("m2"), "RS")
      try settle()
      try expect("m2", in: "INBOX", flag: "\\Seen")
      try expect("m2", in: "INBOX", flag: "\\Answered")
    case .keywords: return try keywords()
    case .move:
      try reader.move(local("m3"), to: folder("Work"))
      try settle()
      try expect("m3", in: "Work")
      try moveThere("m4", to: "Work")
      try settle()
      try expect("m4", in: "Work")
    case .trash:
      try reader.remove(local("m5"))
      try settle()
      try expect("m5", in: "Trash")
    case .expunge:
      try reader.remove(local("m5", in: "Trash"))
      try settle()
      try expect("m5")
    case .draft: try draft()
    case .append:
      try deliver("new0", to: "Work", flags: "S")
      try deliver("new1", to: "INBOX", flags: "FS")
      try settle()
      try expect("new0", in: "Work", flag: "\\Seen")
      try expect("new1", in: "INBOX", flag: "\\Flagged")
    case .mailboxes: try mailboxes()
    case .renumbered: try renumber()
    case .cut: try cut()
    case .watch: try watch()
    case .verify: try run("verify")
    case .wire: problems(of: CommandCheck(capabilities).refusals(of: sent))
    }
    return nil
  }

  private func problems(of found: [String]) { expect(found == [], found.joined(separator: ", ")) }

  func deliver(_ token: String, to name: String, flags: String) throws {
    try reader.deliver(
      SampleMessage(token: token).bytes.filter { $0 != 13 }, name: "17.1_\(token).host",
      to: name == "INBOX" ? name : folder(name), flags: flags)
  }

  private func keywords() throws -> String? {
    guard try takesKeywords() else {
      try reader.setKeywords(local("m2"), ["fromhere"])
      try settle(pushes: true)
      return "the server keeps no keywords of its clients' own"
    }
    try storeThere("m1", "+FLAGS", ["fromthere"])
    try reader.setKeywords(local("m2"), ["fromhere"])
    try settle()
    try expect("m2", in: "INBOX", flag: "fromhere")
    expect(try local("m1").keywords() == ["fromthere"], "fromthere did not come")
    return nil
  }

  private func draft() throws {
    try deliver("dr", to: "Drafts", flags: "D")
    try settle()
    try expect("dr", in: "Drafts", flag: "\\Draft")
    let first = try local("dr")
    try reader.rewrite(first, first.raw + Array("one more line\n".utf8))
    try settle()
    try expect("dr", in: "Drafts", flag: "\\Draft")
    let now = String(decoding: try local("dr").raw, as: UTF8.self)
    expect(now.contains("one more line"), "the edit is lost")
  }

  private func mailboxes() throws {
    try server { try $0.create(mailbox("Made")) }
    try append(["made0"], to: "Made")
    for part in ["tmp", "new", "cur"] {
      try makeDirectory("\(mirror.account)/\(folder("Mine"))/\(part)")
    }
    try deliver("mine0", to: "Mine", flags: "S")
    try settle()
    try expect("mine0", in: "Mine")
    try expect("made0", in: "Made")
    try server { try $0.rename(mailbox("Made"), to: mailbox("Renamed")) }
    try settle()
    _ = try local("made0", in: "Renamed")
    try expungeThere("made0")
    try settle()
    try server { try $0.delete(mailbox("Renamed")) }
    try settle()
  }

  /// Deleted, made anew, and filled with the same messages: none is downloaded, none is lost.
  private func renumber() throws {
    let held = try server { try $0.messages(in: mailbox("Work")) }.filter {
      !$0.flags.contains("\\Deleted")
    }
    // UIDVALIDITY may count seconds.
    pause(1.1)
    try server { client in
      try client.delete(mailbox("Work"))
      try client.create(mailbox("Work"))
      try client.append(
        held.reversed().map {
          SampleMessage(
            bytes: $0.bytes, date: $0.date,
            flags: $0.flags.filter { $0 != "\\Recent" }.sorted())
        }, to: mailbox("Work"))
    }
    try run("pull")
    let fetched = proxy.commands(named: ["FETCH"]).filter { $0.contains("BODY.PEEK[]") }
    expect(fetched == [], "messages that are here are downloaded: \(fetched.prefix(3))")
    try settle()
  }

  /// The line is cut in the middle of a message, again and again, until the run gives up; the next one goes on.
  private func cut() throws {
    let large = (0..<6).map { number in
      SampleMessage(token: "c\(number)", body: String(repeating: "text\r\n", count: 3000))
    }
    try server { try $0.append(large) }
    var conditions = TCPProxy.Conditions()
    conditions.cutDown = 40_000
    proxy.conditions = conditions
    proxy.forget()
    _ = try mirror.pull(limit: 120)
    expect(proxy.records.contains(where: \.wasCut), "nothing was cut")
    sent += proxy.commands
    proxy.conditions = TCPProxy.Conditions()
    try settle()
  }

  private func watch() throws {
    proxy.forget()
    let watch = try mirror.start("watch", "--format", "jsonl")
    defer {
      watch.signal(SIGTERM)
      _ = try? watch.wait(limit: 20)
      sent += proxy.commands
    }
    try wait("the watch listens", watch) { watch.outputSoFar.contains("\"listening\"") }
    try append(["seen-by-watch"])
    try wait("new mail comes", watch) { (try? local("seen-by-watch")) != nil }
    let message = try local("seen-by-watch")
    try reader.setFlags(message, "F")
    try wait("a flag goes", watch) {
      // Said when it is on record: ended before that, the next run finds both sides changed.
      try places("seen-by-watch").first?.flags.contains("\\Flagged") == true
        && watch.outputSoFar.contains("\"pushed\"")
    }
  }

  private func wait(_ what: String, _ child: Child, until isSo: () throws -> Bool) throws {
    let end = monotonicSeconds() + 60
    while try !isSo() {
      guard monotonicSeconds() < end, !child.hasEnded else {
        throw KitError("\(what): not within a minute; \(child.errorsSoFar.suffix(500))")
      }
      pause(0.2)
    }
  }
}
