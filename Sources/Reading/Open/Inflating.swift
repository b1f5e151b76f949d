/// Unpacks what was packed by DEFLATE (RFC 1951).
struct Inflating {
  private let input: UnsafeRawBufferPointer
  private let most: Int
  private var place = 0
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var output: [UInt8] = []

  /// - Returns: nil where it is damaged or longer than `most` bytes.
  static func bytes(of input: UnsafeRawBufferPointer, most: Int) -> [UInt8]? {
    var inflating = Inflating(input, most: most)
    return inflating.unpackAll() ? inflating.output : nil
  }

  /// Bytes with which a file begins: no block that was not packed is longer.
  static let head = 64 << 10

  /// What it begins with, as far as it is whole.
  static func head(of input: UnsafeRawBufferPointer) -> [UInt8] {
    var inflating = Inflating(input, most: head)
    _ = inflating.unpackAll()
    return inflating.output
  }

  private mutating func unpackAll() -> Bool {
    while true {
      guard let isLast = take(1), let kind = take(2) else { return false }
      let isWhole =
        switch kind {
        case 0: copy()
        case 1: unpack(Self.fixed.literals, Self.fixed.distances)
        case 2: unpackWithCodes()
        default: false
        }
      guard isWhole else { return false }
      if isLast == 1 { return true }
    }
  }

  private init(_ input: UnsafeRawBufferPointer, most: Int) {
    self.input = input
    self.most = most
  }

  /// Fills up the bits as far as there are bytes: at least 25 where so many are left.
  private mutating func fill() {
    while bitCount <= 24, place < input.count {
      bits |= UInt32(input[place]) << UInt32(bitCount)
      place += 1
      bitCount += 8
    }
  }

  private mutating func take(_ count: Int) -> Int? {
    if bitCount < count { fill() }
    guard bitCount >= count else { return nil }
    let value = bits & (1 << UInt32(count) - 1)
    drop(count)
    return Int(value)
  }

  private mutating func drop(_ count: Int) {
    bits >>= UInt32(count)
    bitCount -= count
  }

  /// A block that was not packed.
  private mutating func copy() -> Bool {
    // Whole bytes that were taken up already are the block's.
    place -= bitCount / 8
    bits = 0
    bitCount = 0
    guard place + 4 <= input.count else { return false }
    let length = Int(input[place]) | Int(input[place + 1]) << 8
    place += 4
    guard place + length <= input.count, output.count + length <= most else { return false }
    output.append(contentsOf: input[place..<(place + length)])
    place += length
    return true
  }

  /// Symbols by their codes.
  private struct Codes {
    /// By the bits that come next, of which a code is the first: the symbol, and how many bits its code has.
    private(set) var short = [(symbol: Int16, length: UInt8)](
      repeating: (0, 0), count: 1 << Codes.most)
    /// How many symbols have a code of each length, and the symbols in the order of their codes.
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    static let most = 9

    init(_ lengths: some Collection<Int>) {
      for length in lengths { counts[length] += 1 }
      counts[0] = 0
      for length in 1...15 {
        for (symbol, own) in lengths.enumerated() where own == length { symbols.append(symbol) }
      }
      var code = 0
      var index = 0
      for length in 1...Codes.most {
        for _ in 0..<counts[length] {
          guard code < 1 << length else { return }
          // Codes begin with their highest bit.
          var turned = 0
          for bit in 0..<length where code >> bit & 1 == 1 { turned |= 1 << (length - 1 - bit) }
          for place in stride(from: turned, to: 1 << Codes.most, by: 1 << length) {
            short[place] = (Int16(symbols[index]), UInt8(length))
          }
          code += 1
          index += 1
        }
        code <<= 1
      }
    }
  }

  private mutating func symbol(_ codes: Codes) -> Int? {
    if bitCount < 15 { fill() }
    let found = codes.short[Int(bits & (1 << UInt32(Codes.most) - 1))]
    if found.length > 0, Int(found.length) <= bitCount {
      drop(Int(found.length))
      return Int(found.symbol)
    }
    return longSymbol(codes)
  }

  /// Bit by bit.
  private mutating func longSymbol(_ codes: Codes) -> Int? {
    var code = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      guard let bit = take(1) else { return nil }
      code |= bit
      let count = codes.counts[length]
      if code - count < first {
        let place = index + code - first
        return place < codes.symbols.count && place >= 0 ? codes.symbols[place] : nil
      }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    return nil
  }

  private mutating func unpack(_ literals: Codes, _ distances: Codes) -> Bool {
    while let symbol = symbol(literals) {
      if symbol == 256 { return true }
      if symbol < 256 {
        guard output.count < most else { return false }
        output.append(UInt8(symbol))
        continue
      }
      guard symbol < 286, let more = take(Self.lengthBits[symbol - 257]),
        let far = self.symbol(distances), far < 30, let farther = take(Self.distanceBits[far])
      else { return false }
      let length = Self.lengths[symbol - 257] + more
      let distance = Self.distances[far] + farther
      guard distance <= output.count, output.count + length <= most else { return false }
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
    return false
  }

  /// A block that begins with its codes, packed themselves.
  private mutating func unpackWithCodes() -> Bool {
    guard let literalCount = take(5), let distanceCount = take(5), let lengthCount = take(4) else {
      return false
    }
    var lengths = [Int](repeating: 0, count: 19)
    for place in Self.order.prefix(lengthCount + 4) {
      guard let length = take(3) else { return false }
      lengths[place] = length
    }
    let codes = Codes(lengths)
    let wanted = literalCount + 257 + distanceCount + 1
    var all: [Int] = []
    while all.count < wanted {
      guard let symbol = symbol(codes) else { return false }
      var repeated = 0
      var value = 0
      switch symbol {
      case 16:
        guard let last = all.last, let more = take(2) else { return false }
        (repeated, value) = (3 + more, last)
      case 17:
        guard let more = take(3) else { return false }
        repeated = 3 + more
      case 18:
        guard let more = take(7) else { return false }
        repeated = 11 + more
      default: (repeated, value) = (1, symbol)
      }
      all += repeatElement(value, count: repeated)
    }
    guard all.count == wanted else { return false }
    return unpack(Codes(all[..<(literalCount + 257)]), Codes(Array(all[(literalCount + 257)...])))
  }

  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  private static let lengths = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distances = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
    3073, 4097, 6145, 8193, 12289, 16385, 24577,
  ]
  private static let distanceBits = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
    13,
  ]
  private static let fixed = (
    literals: Codes(
      (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }),
    distances: Codes([Int](repeating: 5, count: 30))
  )
}
