import IMAPWire
import Testing

/// What the fuzzer does for minutes, in a second and with fixed seeds: broken responses never crash the
/// parser, and chunking never changes what it makes of them.
struct MutationTests {
  private static let pieces: [String] = [
    "* ", "1 FETCH (", "UID 7 ", "FLAGS (\\Seen a) ", "BODY[] ", "{3}\r\nabc", "{3}\n",
    "\"x\\\"y\" ", "NIL ",
    ")", "(", "\r\n", "\n", "RFC822.SIZE 9 ", "BODY[HEADER.FIELDS (A B)]<0> ", "~{2}\r\n\0\0",
    "{0}\r\n",
    "LIST () \"/\" ", "STATUS x (MESSAGES 1 MAILBOXID (", "OK [", "] ", "CAPABILITY ",
    "COPYUID 1 2:3 4:5",
    "VANISHED (EARLIER) 1:5,9", "SEARCH 1 2 3", "ESEARCH (TAG \"A1\") UID ALL 1:3 ", "A1 OK ", "+ ",
    "MODSEQ (5) ",
    "INTERNALDATE \"17-Jul-1996 02:44:25 -0700\" ", "X-GM-LABELS (\\Inbox \"a\") ",
    "X-UNKNOWN ((a) b) ",
    "EMAILID (M1) ", "ENVELOPE (NIL NIL) ", "ID (\"name\" \"x\")",
    "NAMESPACE ((\"\" \"/\")) NIL NIL", "MYRIGHTS \"Shared/x\" lrswit",
    "PERMANENTFLAGS (\\*)", "ENABLED UTF8=ACCEPT", "\0", "\u{FF}", "{99999999999}", "\\", "\"", "]",
    "[", "&AOQ-",
  ]

  @Test(arguments: 0..<8) func `broken responses neither crash nor depend on chunks`(round: UInt64)
  {
    for seed in round * 250..<(round + 1) * 250 { Self.check(seed: seed) }
  }

  private static func check(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...40, using: &generator) {
      bytes += Array(pieces[Int.random(in: 0..<pieces.count, using: &generator)].utf8)
      if Int.random(in: 0..<12, using: &generator) == 0, !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
    }
    var limits = ParserLimits()
    limits.searchPiece = 16
    limits.keptLiteral = 8
    limits.response = 600
    let whole = Transcript(bytes, chunk: 1, limits: limits)
    let chunked = Transcript(
      bytes, limits: limits, chunks: { Int.random(in: 1...64, using: &generator) })
    // The limit on a response is checked when bytes arrive, so only its moment depends on chunks.
    if whole.failure == nil, chunked.failure == nil { #expect(chunked == whole, "seed \(seed)") }
  }
}
