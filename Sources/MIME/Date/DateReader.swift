/// Reads a date word by word and takes each for what it can be.
struct DateReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  private var fields = DateFields()

  /// Dates are short; what is longer is none.
  private static let longest = 256

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.longest))
  }

  mutating func read() -> (seconds: Int64, zoneMinutes: Int)? {
    while place < bytes.count {
      let byte = bytes[place]
      if ASCII.isDigit(byte) {
        guard takeNumber() else { return nil }
      } else if ASCII.isLetter(byte) || byte >= 0x80 {
        takeWord()
      } else if byte == ASCII.openParenthesis {
        place = bytes.commentEnd(from: place) ?? bytes.count
      } else if byte == UInt8(ascii: "+") || byte == ASCII.dash {
        takeSign()
      } else {
        place += 1
      }
    }
    return fields.seconds.map { ($0, fields.zoneMinutes) }
  }

  // MARK: Numbers

  private func byte(_ offset: Int = 0) -> UInt8 {
    place + offset < bytes.count ? bytes[place + offset] : 0
  }

  /// The digits from here on; nil when there are more than nine.
  private mutating func digits() -> (value: Int, count: Int)? {
    var value = 0
    let start = place
    while ASCII.isDigit(byte()) {
      guard place - start < 9 else { return nil }
      value = value * 10 + Int(byte() &- ASCII.zero)
      place += 1
    }
    return (value, place - start)
  }

  /// False where a number can be no part of a date.
  private mutating func takeNumber() -> Bool {
    guard let number = digits() else { return false }
    let isFollowedByDigit = ASCII.isDigit(byte(1))
    switch byte() {
    case ASCII.colon where !fields.hasTime && isFollowedByDigit && number.count <= 2:
      return takeTime(hour: number.value, separator: ASCII.colon)
    case ASCII.dot where fields.isWholeDay && !fields.hasTime && isFollowedByDigit:
      return takeTime(hour: number.value, separator: ASCII.dot)
    case ASCII.dash, UInt8(ascii: "/"), ASCII.dot:
      if isFollowedByDigit, !fields.hasTime, fields.day == nil, fields.month == nil {
        return takeNumericDay(number, separator: byte())
      }
    default: break
    }
    return takeLoneNumber(number)
  }

  private mutating func takeLoneNumber(_ number: (value: Int, count: Int)) -> Bool {
    if number.count == 8, fields.day == nil, fields.year == nil {
      // ISO 8601 without dashes.
      fields.year = number.value / 10_000
      fields.month = number.value / 100 % 100
      fields.day = number.value % 100
      return true
    }
    if number.count == 6, fields.isWholeDay, !fields.hasTime {
      fields.hour = number.value / 10_000
      fields.minute = number.value / 100 % 100
      fields.second = number.value % 100
      fields.hasTime = true
      return true
    }
    if fields.isWholeDay, fields.hasTime {
      // A zone without its sign.
      if number.count == 4 { setZone(hours: number.value / 100, minutes: number.value % 100) }
      return true
    }
    if number.count > 4 { return false }
    if number.count <= 2, number.value <= 31, fields.day == nil {
      fields.day = number.value
    } else if fields.year == nil {
      setYear(number)
    }
    return true
  }

  /// Years of two or three digits count from 1900 or 2000. RFC 5322 §4.3
  private mutating func setYear(_ number: (value: Int, count: Int)) {
    switch number.count {
    case ...2: fields.year = number.value + (number.value < 50 ? 2000 : 1900)
    case 3: fields.year = number.value + 1900
    default: fields.year = number.value
    }
  }

  /// 2024-03-15, 15.03.2024, 15-03-2024, and 3/15/2024 as Americans have it where it can be.
  private mutating func takeNumericDay(
    _ first: (value: Int, count: Int), separator: UInt8
  ) -> Bool {
    place += 1
    guard first.count <= 4, let second = digits(), second.count <= 2, byte() == separator,
      ASCII.isDigit(byte(1))
    else { return false }
    place += 1
    guard let third = digits(), third.count <= 4 else { return false }
    if first.count >= 3 {
      setYear(first)
      fields.month = second.value
      fields.day = third.value
      return true
    }
    setYear(third)
    let isMonthFirst =
      separator == UInt8(ascii: "/") && first.value <= 12 || second.value > 12
    fields.month = isMonthFirst ? first.value : second.value
    fields.day = isMonthFirst ? second.value : first.value
    return true
  }

  /// hour ":" minute [":" second ["." fraction]]
  private mutating func takeTime(hour: Int, separator: UInt8) -> Bool {
    place += 1
    guard let minute = digits(), minute.count <= 2 else { return false }
    fields.hour = hour
    fields.minute = minute.value
    fields.hasTime = true
    guard byte() == separator, ASCII.isDigit(byte(1)) else { return true }
    place += 1
    guard let second = digits(), second.count <= 2 else { return false }
    fields.second = second.value
    if byte() == ASCII.dot || byte() == ASCII.comma, ASCII.isDigit(byte(1)) {
      place += 1
      while ASCII.isDigit(byte()) { place += 1 }
    }
    return true
  }

  // MARK: Zones

  /// zone = ("+" / "-") 4DIGIT, also with a colon, or hours alone.
  private mutating func takeSign() {
    let isWest = byte() == ASCII.dash
    place += 1
    guard fields.hasTime, ASCII.isDigit(byte()) else { return }
    let start = place
    guard let number = digits(), number.count <= 4 else {
      while ASCII.isDigit(byte()) { place += 1 }
      return
    }
    // A year behind a dash: 10:20 15-Mar-2024.
    if isWest, number.count == 4, fields.year == nil, fields.month != nil, number.value >= 1900,
      start >= 2, !ASCII.isBlank(bytes[start - 2])
    {
      fields.year = number.value
      return
    }
    guard number.count <= 2 else {
      setZone(hours: number.value / 100, minutes: number.value % 100, isWest: isWest)
      return
    }
    var minutes = 0
    if byte() == ASCII.colon, ASCII.isDigit(byte(1)) {
      place += 1
      minutes = digits()?.value ?? 0
    }
    setZone(hours: number.value, minutes: minutes, isWest: isWest)
  }

  /// A zone that cannot be counts as unknown.
  private mutating func setZone(hours: Int, minutes: Int, isWest: Bool = false) {
    let isPossible = hours < 24 && minutes < 60
    let east = isPossible ? hours * 60 + minutes : 0
    fields.zoneMinutes = isWest ? -east : east
  }

  // MARK: Words

  private mutating func takeWord() {
    let start = place
    while ASCII.isLetter(byte()) || byte() >= 0x80 { place += 1 }
    let word = bytes.slice(start..<place)
    if word.count == 1, fields.isWholeDay, !fields.hasTime { return }  // the T of ISO 8601
    if isHalfDay(word) { return }
    if fields.month == nil, !isWeekday(), let month = DateWords.month(word) {
      fields.month = month
    } else if fields.hasTime, let minutes = DateWords.zone(word) {
      fields.zoneMinutes = minutes
    }
  }

  /// A word before the day with a comma behind it: `Tue,` or the French `mar.,`
  private func isWeekday() -> Bool {
    guard fields.day == nil else { return false }
    return byte() == ASCII.comma || (byte() == ASCII.dot && byte(1) == ASCII.comma)
  }

  private mutating func isHalfDay(_ word: UnsafeRawBufferPointer) -> Bool {
    guard word.count == 2, fields.hasTime, fields.hour <= 12,
      ASCII.lowered(word[1]) == UInt8(ascii: "m")
    else { return false }
    switch ASCII.lowered(word[0]) {
    case UInt8(ascii: "a"):
      if fields.hour == 12 { fields.hour = 0 }
    case UInt8(ascii: "p"):
      if fields.hour < 12 { fields.hour += 12 }
    default: return false
    }
    return true
  }
}
