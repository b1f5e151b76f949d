import IMAPClient
import IMAPWire
import MailCore

/// Keeps everything that a run brings.
struct Recorder: ResponseHandler {
  enum Entry: Equatable {
    case received(UntaggedResponse, Int)
    case body(BodySection, [UInt8])
    case fetched(FetchData, Int)
    case completed(Int, TaggedResult)
  }

  var entries: [Entry] = []
  private var section = BodySection(kind: .whole)
  private var body: [UInt8] = []

  mutating func received(_ response: UntaggedResponse, during command: Int) {
    entries.append(.received(response, command))
  }
  mutating func bodyBegins(_ soFar: FetchData, section: BodySection, size: Int) {
    self.section = section
    body = []
  }
  mutating func bodyBytes(_ bytes: UnsafeRawBufferPointer) { body += bytes }
  mutating func bodyEnds() { entries.append(.body(section, body)) }
  mutating func fetched(_ data: FetchData, during command: Int) {
    entries.append(.fetched(data, command))
  }
  mutating func completed(_ command: Int, _ result: TaggedResult) {
    entries.append(.completed(command, result))
  }

  var completions: [Int] {
    entries.compactMap { if case .completed(let command, _) = $0 { command } else { nil } }
  }
}

func session(
  _ stream: ScriptedStream, host: String = "imap.example.org",
  change: (inout IMAPSessionOptions) -> Void = { _ in }
) -> IMAPSession {
  var options = IMAPSessionOptions(host: host, port: 993, user: "alice")
  change(&options)
  return IMAPSession(options: options, connect: { stream }, credential: { Secret("pw") })
}

/// A session that is logged in to a server of these capabilities, with no preamble.
func openSession(
  _ capabilities: String = "IMAP4rev1 LITERAL+", then script: String, greeting: String = "ready"
) throws -> (IMAPSession, ScriptedStream) {
  let stream = ScriptedStream(
    """
    S: * OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] \(greeting)
    C: A1 AUTHENTICATE PLAIN AGFsaWNlAHB3
    S: A1 OK [CAPABILITY \(capabilities)] done
    \(script)
    """)
  let session = session(stream)
  try session.open()
  return (session, stream)
}
