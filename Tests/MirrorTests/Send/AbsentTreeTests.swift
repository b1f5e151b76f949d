import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Nothing is queued where no run would look for it.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct AbsentTreeTests {
  private let scenario: Scenario
  private var mirror: MirrorProgram { scenario.mirror }

  init() throws {
    scenario = try Scenario()
    try scenario.append(["m0"])
    try scenario.mirror.configure {
      $0.imap += "\n[accounts.personal.smtp]\nhost = \"127.0.0.1\"\nport = 1\ntls = \"none\"\n"
    }
    #expect(try scenario.mirror.run(["pull"]).status == 0)
  }

  /// `sendmail` that reads from this file.
  private func command(from file: String) throws -> [String] {
    try ["sh", "-c", "exec \"$@\" < \"$0\"", file]
      + mirror.command(["sendmail", "bob@example.org"])
  }

  @Test func `in the place of a tree that was moved away no new one begins`() throws {
    let file = mirror.home + "/message"
    try writeFile(file, "Subject: x\n\nx\n")
    try FileManager.default.moveItem(atPath: mirror.account, toPath: mirror.home + "/moved")
    let command = try command(from: file)
    let refused = try run(command, environment: mirror.environment)
    #expect(refused.status == 75, "\(refused.summary)")
    #expect(refused.errorText.contains("not queued"), "\(refused.summary)")
    #expect(!FileManager.default.fileExists(atPath: mirror.account))
    // Whoever wants a new one says so.
    try FileManager.default.createDirectory(
      atPath: mirror.account, withIntermediateDirectories: true)
    #expect(try run(command, environment: mirror.environment).status == 0)
  }

  @Test func `a message that is read while its account is removed is not queued, and that is told`()
    throws
  {
    let fifo = mirror.home + "/fifo"
    try #require(mkfifo(fifo, 0o600) == 0)
    let writer = open(fifo, O_RDWR | O_CLOEXEC)
    let sendmail = try Child(command(from: fifo), environment: mirror.environment)
    // Once it has read that, it has read the configuration.
    #expect(write(writer, "Subject: x\n\n", 12) == 12)
    let end = monotonicSeconds() + 60
    var left: Int32 = -1
    while left != 0, monotonicSeconds() < end {
      pause(0.01)
      try #require(ioctl(writer, UInt(FIONREAD), &left) == 0)
    }
    #expect(left == 0)
    let forgotten = try mirror.run(["forget", "personal", "--yes"])
    #expect(forgotten.status == 0, "\(forgotten.summary)")
    close(writer)
    let outcome = try sendmail.wait()
    #expect(outcome.status == 78, "\(outcome.summary)")
    #expect(outcome.errorText.contains("was removed"), "\(outcome.summary)")
    let outbox = mirror.account + "/.mirror/outbox"
    let files = FileManager.default.enumerator(atPath: outbox)?.allObjects as? [String] ?? []
    #expect(!files.contains { $0.contains("/") }, "\(files)")
  }
}
