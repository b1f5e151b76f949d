import CLibFuzzer
import IMAPWire
import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@main enum FuzzResponses {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in tryResponses(bytes, size) })
  }
}

/// The first bytes choose the chunks, the rest is what a server sends.
///
/// Besides not crashing, the parser must make the same of the same bytes however they arrive, hand out
/// exactly the body bytes that were announced, and stay within its bounds.
private func tryResponses(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  guard input.count > 4 else { return 0 }
  let seed = input.loadUnaligned(as: UInt32.self)
  let bytes = UnsafeRawBufferPointer(rebasing: input.dropFirst(4))
  var whole = Trace()
  whole.parse(bytes, seed: nil)
  var pieces = Trace()
  pieces.parse(bytes, seed: seed)
  // Where a limit stops the parser depends on when the bytes came.
  if !whole.hasFailed, !pieces.hasFailed {
    precondition(whole == pieces, "chunks changed the events")
  }
  return 0
}

/// The events of some bytes, bodies joined.
private struct Trace: Equatable {
  private enum Entry: Equatable {
    case untagged(UntaggedResponse)
    case body(FetchData, BodySection, Int, [UInt8])
    case fetched(FetchData)
    case tagged(CommandTag?, TaggedResult)
    case continuation([UInt8])
  }

  private(set) var hasFailed = false
  private var entries: [Entry] = []
  private var open: (data: FetchData, section: BodySection, size: Int, bytes: [UInt8])?

  static func == (a: Trace, b: Trace) -> Bool {
    a.entries == b.entries && a.open?.bytes == b.open?.bytes
  }

  mutating func parse(_ bytes: UnsafeRawBufferPointer, seed: UInt32?) {
    var limits = ParserLimits()
    limits.response = 4096
    limits.searchPiece = 16
    limits.keptLiteral = 64
    limits.buffer = 1024
    limits.listEntries = 50
    var parser = ResponseParser(limits: limits)
    var state = seed ?? 0
    var at = 0
    while at < bytes.count {
      state = state &* 1_664_525 &+ 1_013_904_223
      let size = seed == nil ? bytes.count : min(Int(state >> 24) + 1, bytes.count - at)
      parser.feed(UnsafeRawBufferPointer(rebasing: bytes[at..<at + size]))
      at += size
      do {
        while let event = try parser.next() { note(event) }
      } catch {
        hasFailed = true
        return
      }
      precondition(
        seed == nil || parser.buffered <= limits.response + 256, "more is held than allowed")
    }
  }

  private mutating func note(_ event: ResponseEvent) {
    switch event {
    case .untagged(let response):
      precondition(open == nil, "a response within a body")
      check(response)
      entries.append(.untagged(response))
    case .bodyBegins(let data, let section, let size):
      precondition(open == nil, "a body within a body")
      open = (data, section, size, [])
    case .bodyBytes(let bytes):
      precondition(!bytes.isEmpty, "nothing was handed out")
      open?.bytes.append(contentsOf: bytes)
      guard let open, open.bytes.count <= open.size else {
        preconditionFailure("body bytes beyond what was announced")
      }
    case .bodyEnds:
      guard let body = open, body.bytes.count == body.size else {
        preconditionFailure("a body ended early")
      }
      entries.append(.body(body.data, body.section, body.size, body.bytes))
      open = nil
    case .fetched(let data): entries.append(.fetched(data))
    case .tagged(let tag, let result):
      _ = result.throttle
      entries.append(.tagged(tag, result))
    case .continuation(let text): entries.append(.continuation(text))
    }
  }

  private func check(_ response: UntaggedResponse) {
    switch response {
    case .list(let listing):
      precondition(!listing.rawName.isEmpty || listing.name.text.isEmpty, "a name from nothing")
    case .status(_, let text):
      if case .copyUID(let copy) = text.code { _ = copy.pairs() }
    case .vanished(_, let set): precondition(set.count >= set.ranges.count, "ranges without UIDs")
    default: break
    }
  }
}
