import MailTestKit
import Testing

/// Deviations that need no quirk: what is broken there is never relied on. `Tests/QUIRKS.md` lists them.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct NoQuirkTests {
  @Test func `Yahoo's EXPUNGE that renumbers nothing names no message`() throws {
    let lie = try Lie(.yahoo)
    lie.server.alter { command, replies in
      guard command.name == "UID FETCH" || command.name == "UID SEARCH" else { return replies }
      return ["* 12 EXPUNGE", "* 12 EXPUNGE", "* 99 EXPUNGE"].map { .line($0) } + replies
    }
    _ = try lie.pull()
    _ = try lie.pull()
    #expect(try lie.mirror.tokens(12).count == 12)
    try lie.expectWhole()
  }

  @Test func `Yahoo's refusal of old bodies leaves the others, and is tried again`() throws {
    let lie = try Lie(.yahoo)
    lie.server.alter { command, replies in
      guard command.name == "UID FETCH", command.text.contains("BODY.PEEK[]"),
        let uids = command.arguments.first?.text,
        uids.split(whereSeparator: { ",:".contains($0) }).contains(where: {
          ["1", "2"].contains($0)
        })
      else { return replies }
      return [
        .line("\(command.tag) NO [UNAVAILABLE] UID FETCH Server error - Please try again later")
      ]
    }
    let outcome = try lie.pull(1)
    #expect(outcome.errorText.contains("INBOX"), "\(outcome.errorText)")
    #expect(try lie.mirror.tokens(12) == Set(2..<12))
    try lie.expectWhole()
  }

  @Test func `answers to FETCH in any order are taken, as from poczta`() throws {
    let lie = try Lie(.bare)
    lie.server.alter { command, replies in
      command.name == "UID FETCH" ? replies.dropLast().reversed() + replies.suffix(1) : replies
    }
    _ = try lie.pull(0)
    try lie.expectWhole()
  }
}

extension MirrorProgram {
  /// The numbers below `count` whose messages `m0`, `m1` … are here.
  func tokens(_ count: Int) throws -> Set<Int> {
    let tree = try tree()
    let here = Set(
      tree.messages.compactMap { message -> String? in
        let text = String(decoding: message.raw, as: UTF8.self)
        return text.split(separator: "Message-ID: <").last?.split(separator: "@").first
          .map(String.init)
      })
    return Set((0..<count).filter { here.contains("m\($0)") })
  }
}
