import GRDB

/// A text's words as the index knows them: cut, folded to lower case and without accents by the
/// index's own tokenizer, East Asian characters each for itself.
struct TextUnits {
  struct Unit {
    /// In the text.
    let range: Range<Int>
    /// In ``folded``.
    fileprivate let word: Range<Int>
  }

  private(set) var units: [Unit] = []
  fileprivate(set) var folded: [UInt8] = []

  /// - Parameter bytes: valid UTF-8.
  init(_ bytes: UnsafeRawBufferPointer, _ tokenizer: any FTS5Tokenizer) {
    var place = 0
    while place < bytes.count {
      let (start, end) = Self.cutRun(in: bytes, from: place)
      appendWords(bytes, place..<start, tokenizer)
      appendCharacters(bytes, start..<end)
      place = end
    }
  }

  func word(_ index: Int) -> ArraySlice<UInt8> { folded[units[index].word] }

  /// The next run of East Asian characters; empty at the end of the text.
  private static func cutRun(in bytes: UnsafeRawBufferPointer, from place: Int) -> (Int, Int) {
    var start = place
    while start < bytes.count {
      if bytes[start] < 0xE1 {
        start += 1
        continue
      }
      var end = start
      while end < bytes.count, let length = cutLength(bytes, at: end) { end += length }
      if end > start { return (start, end) }
      start += bytes[start] >= 0xF0 ? 4 : 3
    }
    return (bytes.count, bytes.count)
  }

  private static func cutLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? {
    let lead = bytes[place]
    guard lead >= 0xE1 else { return nil }
    let length = lead >= 0xF0 ? 4 : 3
    guard place + length <= bytes.count else { return nil }
    var scalar = UInt32(lead & (lead >= 0xF0 ? 0x07 : 0x0F))
    for index in place + 1..<place + length { scalar = scalar << 6 | UInt32(bytes[index] & 0x3F) }
    return CJKText.isCut(scalar) ? length : nil
  }

  private mutating func appendCharacters(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    var place = range.lowerBound
    while place < range.upperBound {
      let end = min(place + (bytes[place] >= 0xF0 ? 4 : 3), range.upperBound)
      append(place..<end, UnsafeRawBufferPointer(rebasing: bytes[place..<end]))
      place = end
    }
  }

  private mutating func append(_ range: Range<Int>, _ word: UnsafeRawBufferPointer) {
    let start = folded.count
    folded.append(contentsOf: word)
    units.append(Unit(range: range, word: start..<folded.count))
  }

  private mutating func appendWords(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ tokenizer: any FTS5Tokenizer
  ) {
    guard !range.isEmpty, let base = bytes.baseAddress else { return }
    let text = (base + range.lowerBound).assumingMemoryBound(to: CChar.self)
    var gathered = Gathered(units: self, base: range.lowerBound)
    units = []  // one owner, so nothing is copied
    folded = []
    withUnsafeMutablePointer(to: &gathered) { context in
      _ = tokenizer.tokenize(
        context: context, tokenization: .document, pText: text, nText: CInt(range.count)
      ) { context, _, token, length, start, end in
        guard let context, let token else { return 0 }
        let gathered = context.assumingMemoryBound(to: Gathered.self)
        let base = gathered.pointee.base
        gathered.pointee.units.append(
          base + Int(start)..<base + Int(end),
          UnsafeRawBufferPointer(start: token, count: Int(length)))
        return 0
      }
    }
    self = gathered.units
  }

  private struct Gathered {
    var units: TextUnits
    let base: Int
  }
}
