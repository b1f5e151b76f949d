import CLISupport
import MIME
import MailCore
import MailIndex

/// Where exported messages go.
protocol ExportTarget {
  /// Writes one message. Returns the path of a file that is the message's own.
  mutating func write(_ bytes: UnsafeRawBufferPointer, of message: SearchHit) throws(SaveError)
    -> String?
  /// Makes what was written visible. Returns the path of a file that holds all of it; nil where there is none.
  mutating func finish() throws(SaveError) -> String?
  /// Standard output has the messages: nothing else may go there.
  var isOutput: Bool { get }
}

/// Reads messages one by one and hands them to a target.
struct MessageExport {
  let session: ReadingSession
  let reader: IndexReader
  var target: any ExportTarget
  /// Nothing is written.
  let isDry: Bool

  /// A message that cannot be read is told and left out; one of which parts are on the server is told, and goes out as it
  /// is, but for our first line: elsewhere it would be taken for a field of the message.
  mutating func run(_ ids: [Int64]) throws -> ExitStatus {
    var status = ExitStatus.done
    var (count, stubs) = (0, 0)
    var writer = session.writer
    var rest = ids[...]
    while !rest.isEmpty, !session.report.console.hasFailed {
      let piece = rest.prefix(200)
      rest = rest.dropFirst(200)
      for hit in try reader.read({ try HitReader($0).hits(piece) }) {
        let file: MessageBytes
        do throws(MessageFileError) {
          file = try MessageBytes.load(hit.paths(root: session.root))
        } catch {
          session.report.problem(String(hit.id), error)
          status = .inPart
          continue
        }
        let isStub = file.bytes.withUnsafeBytes { AbsentPart.areMissing(in: $0) }
        if isStub {
          session.report.problem(
            String(hit.id), "parts of the message are on the server, and not in what was written.",
            remedy: "Run `\(AbsentPart.command(messageID: hit.messageID))`, and export it again.")
          status = .inPart
          stubs += 1
        }
        let path = try file.bytes.withUnsafeBytes {
          try target.write(AbsentPart.withoutOwnLine($0), of: hit)
        }
        count += 1
        if let path { tell(path, of: hit, isStub: isStub, &writer) }
      }
    }
    let whole = try target.finish()
    if !target.isOutput {
      if let whole { tell(whole, count, stubs: stubs, &writer) }
      writer.end()
    }
    return status
  }

  /// A file for each message: paths as `attachments --save` prints them.
  private func tell(
    _ path: String, of hit: SearchHit, isStub: Bool, _ writer: inout ResultWriter
  ) {
    if session.format == .text, !session.report.isQuiet { writer.line(path.readable) }
    writer.item(
      .object([
        "id": .integer(hit.id), "message_id": .optional(hit.messageID), "path": .string(path),
        "is_stub": .bool(isStub),
      ]))
  }

  private func tell(_ path: String, _ count: Int, stubs: Int, _ writer: inout ResultWriter) {
    if session.format == .text, !session.report.isQuiet {
      writer.line(
        "\(Quantities.count(count, "message")) \(isDry ? "would be " : "")in \(path.readable)")
    }
    writer.item(
      .object([
        "messages": .integer(Int64(count)), "path": .string(path), "stubs": .integer(Int64(stubs)),
      ]))
  }
}
