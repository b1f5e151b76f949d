import IMAPWire
import MailCore

/// What a parser made of some bytes, as lines that compare and print well. Body bytes are joined.
struct Transcript: Equatable {
  var lines: [String] = []
  var failure: WireError?

  /// Parses `bytes`, given in pieces of `chunk` bytes.
  init(_ bytes: [UInt8], chunk: Int = .max, limits: ParserLimits = .standard) {
    var sizes = Repeat(size: chunk)
    self.init(bytes, limits: limits, chunks: { sizes.next() })
  }

  init(_ text: String, chunk: Int = .max, limits: ParserLimits = .standard) {
    self.init(Array(text.utf8), chunk: chunk, limits: limits)
  }

  init(_ bytes: [UInt8], limits: ParserLimits = .standard, chunks: () -> Int) {
    var parser = ResponseParser(limits: limits)
    var body: [UInt8]?
    var at = 0
    do {
      repeat {
        let size = min(max(chunks(), 1), bytes.count - at)
        bytes[at..<at + size].withUnsafeBytes { parser.feed($0) }
        at += size
        while let event = try parser.next() { note(event, &body) }
      } while at < bytes.count
    } catch {
      failure = error
    }
    if let body { lines.append("unfinished \(Self.show(body))") }
  }

  private mutating func note(_ event: ResponseEvent, _ body: inout [UInt8]?) {
    switch event {
    case .untagged(let response): lines.append("\(response)")
    case .bodyBegins(let data, let section, let size):
      lines.append("begins \(section) size \(size) after \(data)")
      body = []
    case .bodyBytes(let bytes): body?.append(contentsOf: bytes)
    case .bodyEnds:
      lines.append("body \(Self.show(body ?? []))")
      body = nil
    case .fetched(let data): lines.append("\(data)")
    case .tagged(let tag, let result): lines.append("\(tag?.description ?? "?") \(result)")
    case .continuation(let text): lines.append("+ \(Self.show(text))")
    }
  }

  private static func show(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self) + "|\(bytes.count)"
  }

  private struct Repeat {
    var size: Int
    mutating func next() -> Int { size }
  }
}

/// The events of some text, bodies as arrays.
enum Seen: Equatable {
  case untagged(UntaggedResponse)
  case body(BodySection, [UInt8])
  case fetched(FetchData)
  case tagged(CommandTag?, TaggedResult)
  case continuation(String)
}

func parse(_ text: String, limits: ParserLimits = .standard) throws -> [Seen] {
  try parse(Array(text.utf8), limits: limits)
}

func parse(_ bytes: [UInt8], limits: ParserLimits = .standard) throws -> [Seen] {
  var parser = ResponseParser(limits: limits)
  bytes.withUnsafeBytes { parser.feed($0) }
  var seen: [Seen] = []
  var section = BodySection(kind: .whole)
  var body: [UInt8] = []
  while let event = try parser.next() {
    switch event {
    case .untagged(let response): seen.append(.untagged(response))
    case .bodyBegins(_, let begun, _):
      section = begun
      body = []
    case .bodyBytes(let bytes): body += bytes
    case .bodyEnds: seen.append(.body(section, body))
    case .fetched(let data): seen.append(.fetched(data))
    case .tagged(let tag, let result): seen.append(.tagged(tag, result))
    case .continuation(let text): seen.append(.continuation(String(decoding: text, as: UTF8.self)))
    }
  }
  return seen
}

/// The only FETCH in a line.
func fetch(_ line: String) throws -> FetchData {
  for case .fetched(let data) in try parse(line + "\r\n") { return data }
  throw Missing(line: line)
}

/// The only untagged response in a line.
func untagged(_ line: String) throws -> UntaggedResponse {
  for case .untagged(let response) in try parse(line + "\r\n") { return response }
  throw Missing(line: line)
}

func untagged(_ line: [UInt8]) throws -> UntaggedResponse {
  for case .untagged(let response) in try parse(line + [13, 10]) { return response }
  throw Missing(line: String(decoding: line, as: UTF8.self))
}

func code(_ line: String) throws -> ResponseCode? {
  guard case .status(_, let text) = try untagged(line) else { throw Missing(line: line) }
  return text.code
}

struct Missing: Error { var line: String }

/// A small generator of our own, so that a seed gives the same bytes on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
