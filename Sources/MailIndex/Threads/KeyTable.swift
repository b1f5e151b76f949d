/// Gives 64-bit keys small numbers in order of first sight: open addressing, 12 bytes a slot.
struct KeyTable {
  private var slots: [UInt64]
  private var numbers: [Int32]
  private var shift: Int
  private(set) var count = 0
  /// Keys come out of hashes that strangers can compute: a factor of the run's own spreads them.
  private let factor = UInt64.random(in: .min ... .max) | 1

  init(capacity: Int) {
    var bits = 4
    while 1 << bits < capacity * 3 / 2 { bits += 1 }
    slots = Array(repeating: 0, count: 1 << bits)
    numbers = Array(repeating: -1, count: 1 << bits)
    shift = 64 - bits
  }

  /// - Parameter key: not 0.
  mutating func number(of key: UInt64) -> Int32 {
    var place = Int((key &* factor) >> UInt64(shift))
    while slots[place] != 0 {
      if slots[place] == key { return numbers[place] }
      place = (place + 1) & (slots.count - 1)
    }
    if count * 4 >= slots.count * 3 {
      grow()
      return number(of: key)
    }
    slots[place] = key
    numbers[place] = Int32(truncatingIfNeeded: count)
    count += 1
    return numbers[place]
  }

  func known(_ key: UInt64) -> Int32? {
    var place = Int((key &* factor) >> UInt64(shift))
    while slots[place] != 0 {
      if slots[place] == key { return numbers[place] }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  private mutating func grow() {
    let (oldSlots, oldNumbers) = (slots, numbers)
    slots = Array(repeating: 0, count: oldSlots.count * 2)
    numbers = Array(repeating: -1, count: oldSlots.count * 2)
    shift -= 1
    for (old, key) in oldSlots.enumerated() where key != 0 {
      var place = Int((key &* factor) >> UInt64(shift))
      while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
      slots[place] = key
      numbers[place] = oldNumbers[old]
    }
  }
}
