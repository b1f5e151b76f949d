import CLISupport
import MIME
import MailCore
import MailIndex

/// Prints a message's bytes, or those of one part.
///
/// To a file or another program they go as they are; on a terminal a text is converted and made harmless, and anything
/// else is refused (promise 9).
struct ShownPart {
  let session: ReadingSession
  let reader: IndexReader

  /// One part as text for people, whoever reads it.
  func printText(_ id: Int64, section: String) throws {
    guard let hit = try reader.read({ try HitReader($0).hits([id]).first }) else {
      throw ShowError.nothingFound
    }
    let file = try MessageBytes.load(hit.paths(root: session.root))
    try file.bytes.withUnsafeBytes { bytes in
      var content: [UInt8] = []
      let part = try PartLoading(config: session.config).append(
        section: section, of: file, bytes, MessageStructure.parse(bytes), into: &content)
      guard let part else { throw PartError.missing(section) }
      guard part.type.media == "text" else { throw TerminalError.notText(part.type.name) }
      // What is neither HTML nor made of lines that flow is read as it is.
      let isFlowed = part.type.parameter("format")?.lowercased() == "flowed"
      let type =
        part.type.subtype == "html"
        ? "text/html" : isFlowed ? "text/plain; format=flowed" : "text/plain"
      Self.print(
        PartAsText(content: content, type: type, charset: part.type.charset), session)
    }
  }

  static func print(_ text: PartAsText, _ session: ReadingSession) {
    var writer = session.writer
    for line in text.lines(on: session.page) { writer.line(line) }
    writer.end()
  }

  /// - Parameter section: nil for the whole file.
  func print(_ id: Int64, section: String?) throws {
    guard let hit = try reader.read({ try HitReader($0).hits([id]).first }) else {
      throw ShowError.nothingFound
    }
    let file = try MessageBytes.load(hit.paths(root: session.root))
    guard let section else { return try write(file.bytes, type: nil) }
    try file.bytes.withUnsafeBytes { bytes in
      var content: [UInt8] = []
      let part = try PartLoading(config: session.config).append(
        section: section, of: file, bytes, MessageStructure.parse(bytes), into: &content)
      guard let part else { throw PartError.missing(section) }
      try write(content, type: part.type)
    }
  }

  private func write(_ bytes: [UInt8], type: ContentType?) throws {
    guard session.report.console.outputIsTerminal else {
      return bytes.withUnsafeBytes { session.report.console.printResult($0) }
    }
    if let type, type.media != "text" {
      throw TerminalError.notText(type.name)
    }
    var text: [UInt8] = []
    bytes.withUnsafeBytes {
      _ = Charset.appendUTF8($0, label: type?.charset, into: &text)
    }
    var writer = session.writer
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      writer.line(String(decoding: line, as: UTF8.self).readableLine)
    }
    writer.end()
  }
}

/// What does not belong on a terminal.
enum TerminalError: Error, Equatable {
  case notText(String)
}

extension TerminalError: Explained {
  var explanation: Explanation {
    switch self {
    case .notText(let type):
      Explanation(
        problem: "The part is \(type), which is nothing for a terminal.",
        remedy: "Redirect it to a file, or use `attachments --save DIR`.", exitStatus: .usage)
    }
  }
}
