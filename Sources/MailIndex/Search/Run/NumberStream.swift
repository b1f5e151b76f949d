/// Message numbers in descending order, each once.
///
/// Bounds that callers give never grow.
class NumberStream {
  private var last: Int64?
  private var isEnded = false

  /// The greatest number that is no greater than `bound`, or nil where none is left.
  ///
  /// Until the bound falls below it the answer stays, so sources are asked with falling bounds only.
  final func next(atMost bound: Int64) throws -> Int64? {
    if isEnded { return nil }
    if let last, last <= bound { return last }
    last = try find(atMost: bound)
    isEnded = last == nil
    return last
  }

  /// Each bound lies below what was last found, and nothing is asked once nothing was found.
  func find(atMost bound: Int64) throws -> Int64? { nil }
}

/// Numbers at hand, sorted.
final class SortedNumbers: NumberStream {
  private let numbers: [Int64]  // descending
  private var place = 0

  init(sorting numbers: [Int64]) {
    self.numbers = numbers.sorted(by: >)
  }

  override func find(atMost bound: Int64) -> Int64? {
    while place < numbers.count, numbers[place] > bound { place += 1 }
    return place < numbers.count ? numbers[place] : nil
  }
}

/// What all of the streams hold: each jumps to where the others are.
final class Intersection: NumberStream {
  private let streams: [NumberStream]

  /// - Parameter streams: at least one; those that jump cheaply first.
  init(_ streams: [NumberStream]) { self.streams = streams }

  override func find(atMost bound: Int64) throws -> Int64? {
    var candidate = bound
    var agreed = 0
    while true {
      for stream in streams {
        guard let number = try stream.next(atMost: candidate) else { return nil }
        agreed = number == candidate ? agreed + 1 : 1
        candidate = number
        if agreed >= streams.count { return candidate }
      }
    }
  }
}

/// What any of the streams holds.
final class Union: NumberStream {
  private let streams: [NumberStream]

  init(_ streams: [NumberStream]) { self.streams = streams }

  override func find(atMost bound: Int64) throws -> Int64? {
    var greatest: Int64?
    for stream in streams {
      guard let number = try stream.next(atMost: bound) else { continue }
      greatest = max(greatest ?? number, number)
      if number == bound { return number }
    }
    return greatest
  }
}

/// What the first holds and the second does not.
final class Difference: NumberStream {
  private let stream: NumberStream
  private let excluded: NumberStream

  init(_ stream: NumberStream, without excluded: NumberStream) {
    self.stream = stream
    self.excluded = excluded
  }

  override func find(atMost bound: Int64) throws -> Int64? {
    var bound = bound
    while let number = try stream.next(atMost: bound) {
      if try excluded.next(atMost: number) != number { return number }
      bound = number - 1
    }
    return nil
  }
}
