/// Records in the order of their bytes, read once.
final class SortedRecords {
  let count: Int
  private var source: Source

  private enum Source {
    case memory(bytes: [UInt8], records: [(start: UInt32, count: UInt32)], place: Int)
    case runs(RunMerge)
  }

  init(_ bytes: [UInt8], _ records: [(start: UInt32, count: UInt32)]) {
    count = records.count
    source = .memory(bytes: bytes, records: records, place: 0)
  }

  init(_ file: RecordFile, ends: [Int64], count: Int) throws(IndexError) {
    self.count = count
    source = .runs(try RunMerge(file, ends: ends))
  }

  /// Calls `body` with the next record. Returns nil after the last.
  func next<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T? {
    switch source {
    case .runs(let merge): return try merge.next(body)
    case .memory(let bytes, let records, let place):
      guard place < records.count else { return nil }
      source = .memory(bytes: bytes, records: records, place: place + 1)
      let (start, count) = records[place]
      return try bytes.withUnsafeBytes {
        try body(UnsafeRawBufferPointer(rebasing: $0[Int(start)..<Int(start + count)]))
      }
    }
  }
}

/// Several sorted runs as one: a heap of runs, the one with the smallest record on top.
final class RunMerge {
  private var runs: [RunReader] = []
  private var heap: [Int] = []

  init(_ file: RecordFile, ends: [Int64]) throws(IndexError) {
    var start: Int64 = 0
    for end in ends {
      let run = RunReader(file, start: start, end: end)
      if try run.advance() {
        heap.append(runs.count)
        runs.append(run)
      }
      start = end
    }
    for place in (0..<heap.count / 2).reversed() { sink(place) }
  }

  func next<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T? {
    guard let first = heap.first else { return nil }
    let result = try body(runs[first].record)
    if try !runs[first].advance() {
      heap[0] = heap[heap.count - 1]
      heap.removeLast()
    }
    sink(0)
    return result
  }

  private func sink(_ start: Int) {
    var place = start
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
        if runs[heap[child]].precedes(runs[heap[least]]) { least = child }
      }
      if least == place { return }
      heap.swapAt(place, least)
      place = least
    }
  }
}
