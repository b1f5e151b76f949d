import IMAPClient
import IMAPWire
import MailCore
import Testing

/// How long a server may send nothing.
struct PatienceTests {
  private let inbox = Array("INBOX".utf8)

  /// The longest wait for one of the answers that these bring; the log-in's do not count.
  private func longestWait(_ commands: [IMAPCommand], _ script: String) throws -> Int? {
    let (session, stream) = try openSession(then: script)
    let reads = stream.waits.count
    var recorder = Recorder()
    try session.run(commands, handler: &recorder)
    #expect(recorder.completions.count == commands.count)
    return stream.waits.dropFirst(reads).max()
  }

  @Test func `an answer that needs no work is due within a minute`() throws {
    #expect(
      try longestWait(
        [.uidFetch(UIDSet(1...9), .flags)],
        """
        C: A2 UID FETCH…
        S: A2 OK done
        """
      ) == 60)
  }

  @Test func `a mailbox may be long in opening`() throws {
    for readOnly in [false, true] {
      #expect(
        try longestWait(
          [.select(inbox, readOnly: readOnly)],
          """
          C: A2 \(readOnly ? "EXAMINE" : "SELECT") "INBOX"
          S: A2 OK done
          """
        ) == 120)
    }
  }

  @Test func `what may take long counts from the first command of its flight on`() throws {
    let uids = UIDSet(1...9)
    #expect(
      try longestWait(
        [.uidSearch(.uids(uids)), .uidCopy(uids, to: inbox)],
        """
        C: A2 UID SEARCH UID 1:9
        C: A3 UID COPY 1:9 "INBOX"
        S: A2 OK done
        S: A3 OK done
        """
      ) == 120)
  }

  @Test(arguments: [false, true]) func `the wait for an upload grows with its size`(
    isStreamed: Bool
  ) throws {
    let bytes = [UInt8](repeating: 97, count: 800_000)
    let body: AppendBody =
      isStreamed
      ? .stream(.init(size: bytes.count) { sink in try bytes.withUnsafeBytes { try sink($0) } })
      : .bytes(bytes)
    let (session, stream) = try openSession(then: "C: A2 APPEND…")
    #expect(throws: (any Error).self) {
      try session.execute(.append(to: inbox, body: body))
    }
    #expect(stream.waits.last == 220)
    #expect(isStreamed || stream.writeWaits.max() == 160)
  }
}
