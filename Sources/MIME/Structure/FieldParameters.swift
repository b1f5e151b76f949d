import MailCore

/// The parameters of a structured field, RFC 2231 pieces put together, values still in their charset.
struct FieldParameters {
  struct Parameter {
    let name: String
    /// Unquoted and percent-decoded.
    let bytes: [UInt8]
    /// Whether it came as `name*=charset'language'…`, so that no RFC 2047 word is in it.
    let isExtended: Bool
    let charset: String?

    var value: String {
      isExtended
        ? HeaderText.decode(bytes, charset: charset)
        : bytes.withUnsafeBytes { HeaderText.decode($0) }
    }
  }

  private(set) var all: [Parameter] = []
  private(set) var isCut = false

  /// Reads `*(";" parameter)` (RFC 2045 §5.1) in `bytes` from `start` on.
  init(_ bytes: UnsafeRawBufferPointer, from start: Int, limit: Int) {
    var scanner = ParameterScanner(bytes, from: start)
    var pieces: [ParameterPiece] = []
    while let piece = scanner.next() {
      guard pieces.count < limit else {
        isCut = true
        break
      }
      pieces.append(piece)
    }
    join(pieces)
  }

  func first(_ name: String) -> Parameter? { all.first { $0.name == name } }

  /// Parameters stand where their first piece stood. Of a name written plainly and in RFC 2231's way,
  /// the latter says more: the plain one is for old readers.
  private mutating func join(_ pieces: [ParameterPiece]) {
    guard pieces.contains(where: { $0.isStarred }) else {
      all = pieces.map {
        Parameter(name: $0.name, bytes: $0.value, isExtended: false, charset: nil)
      }
      return
    }
    let starred = pieces.enumerated().filter { $0.element.isStarred }
    var families: [String: [ParameterPiece]] = [:]
    for (_, piece) in starred { families[piece.name, default: []].append(piece) }
    var isDone: Set<String> = []
    for piece in pieces {
      guard let family = families[piece.name] else {
        all.append(
          Parameter(name: piece.name, bytes: piece.value, isExtended: false, charset: nil))
        continue
      }
      if isDone.insert(piece.name).inserted { all.append(Self.joined(family)) }
    }
  }

  /// Pieces by their number, whatever order they came in; of one number the first counts.
  private static func joined(_ family: [ParameterPiece]) -> Parameter {
    // `name*=` says all by itself; else pieces 0, 1, 2 …
    let whole = family.first { $0.number == nil }
    let pieces = whole.map { [$0] } ?? inOrder(family)
    var bytes: [UInt8] = []
    var charset: String?
    for (place, piece) in pieces.enumerated() {
      guard piece.isExtended else {
        bytes.append(contentsOf: piece.value)
        continue
      }
      var text = piece.value[...]
      if place == 0 { charset = takeCharset(&text) }
      bytes += Hex.percentDecoded(text)
    }
    return Parameter(
      name: family[0].name, bytes: bytes, isExtended: pieces.contains { $0.isExtended },
      charset: charset)
  }

  private static func inOrder(_ family: [ParameterPiece]) -> [ParameterPiece] {
    let sorted = family.enumerated().sorted {
      ($0.element.number ?? 0, $0.offset) < ($1.element.number ?? 0, $1.offset)
    }
    var pieces: [ParameterPiece] = []
    for (_, piece) in sorted where pieces.last?.number != piece.number { pieces.append(piece) }
    return pieces
  }

  /// extended-initial-value = [charset] "'" [language] "'" extended-other-values. RFC 2231 §7
  private static func takeCharset(_ text: inout ArraySlice<UInt8>) -> String? {
    let apostrophe = UInt8(ascii: "'")
    guard let first = text.firstIndex(of: apostrophe),
      let second = text[(first + 1)...].firstIndex(of: apostrophe), first - text.startIndex <= 64
    else { return nil }
    let charset = String(decoding: text[..<first], as: UTF8.self)
    text = text[(second + 1)...]
    return charset.isEmpty ? nil : charset
  }
}
