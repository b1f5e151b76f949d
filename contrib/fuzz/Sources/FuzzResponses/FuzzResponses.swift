import CLibFuzzer
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import IMAPWire
import MailCore

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

/// A digest of the events, so that two runs compare without keeping them.
private struct Trace: Equatable {
  private(set) var hasFailed = false
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private var bodyLeft: Int?

  mutating func parse(_ bytes: UnsafeRawBufferPointer, seed: UInt32?) {
    var limits = ParserLimits()
    limits.response = 4096
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
      precondition(seed == nil || parser.buffered <= limits.response + limits.keptLiteral + 256)
    }
  }

  private mutating func note(_ event: ResponseEvent) {
    switch event {
    case .untagged(let response):
      precondition(bodyLeft == nil, "a response within a body")
      mix("\(response)")
      check(response)
    case .bodyBegins(let data, let section, let size):
      precondition(bodyLeft == nil, "a body within a body")
      bodyLeft = size
      mix("\(data)\(section)\(size)")
    case .bodyBytes(let bytes):
      guard let left = bodyLeft, bytes.count > 0, bytes.count <= left else {
        preconditionFailure("body bytes beyond what was announced")
      }
      bodyLeft = left - bytes.count
      for byte in bytes { mix(byte) }
    case .bodyEnds:
      precondition(bodyLeft == 0, "a body ended early")
      bodyLeft = nil
    case .fetched(let data): mix("\(data)")
    case .tagged(let tag, let result): mix("\(String(describing: tag))\(result)")
    case .continuation(let text): for byte in text { mix(byte) }
    }
  }

  private func check(_ response: UntaggedResponse) {
    switch response {
    case .list(let listing):
      precondition(!listing.rawName.isEmpty || listing.name.text.isEmpty)
    case .status(_, let text):
      if case .copyUID(let copy) = text.code { _ = copy.pairs() }
      _ = Throttle(code: text.code, text: text.text)
    case .vanished(_, let set): precondition(set.count >= set.ranges.count)
    default: break
    }
  }

  private mutating func mix(_ text: String) { for byte in text.utf8 { mix(byte) } }
  private mutating func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
