#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Sorts records by their bytes, however many there are: beyond a few megabytes they lie on disk, in sorted runs that
/// are merged as they are read. Numbers at the beginning of a record want their highest byte first.
struct RecordSort {
  /// Bytes of a record, at most.
  static let longest = 1 << 16 - 1

  private let directory: String
  private let memory: Int
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  private var file: RecordFile?
  /// Where each run ends in the file.
  private var ends: [Int64] = []
  /// Records that are on disk.
  private var spilled = 0
  /// Of those in memory, the first ones that were there at the last mark.
  private var marked = 0

  fileprivate struct Entry {
    /// The first eight bytes, which decide most comparisons.
    let beginning: UInt64
    let start: UInt32
    let count: UInt32
  }

  /// - Parameters:
  ///   - directory: where runs are written, if there are many records.
  ///   - memory: bytes that are held before.
  init(in directory: String, memory: Int = 4 << 20) {
    self.directory = directory
    self.memory = memory
  }

  var count: Int { spilled + entries.count }

  mutating func add(_ record: UnsafeRawBufferPointer) throws(IndexError) {
    precondition(record.count <= Self.longest)
    if bytes.count + record.count + (entries.count + 1) * MemoryLayout<Entry>.stride > memory {
      try spill()
    }
    entries.append(
      Entry(
        beginning: Self.beginning(of: record), start: UInt32(bytes.count),
        count: UInt32(record.count)))
    bytes.append(contentsOf: record)
  }

  private static func beginning(of record: UnsafeRawBufferPointer) -> UInt64 {
    if record.count >= 8 { return UInt64(bigEndian: record.loadUnaligned(as: UInt64.self)) }
    var value: UInt64 = 0
    for place in 0..<8 { value = value << 8 | UInt64(place < record.count ? record[place] : 0) }
    return value
  }

  // MARK: Taking back what was added last

  struct Mark {
    fileprivate let runs: Int
    fileprivate let spilled: Int
    fileprivate let entries: Int
  }

  /// Records from here on can be taken back, until the next mark.
  mutating func mark() throws(IndexError) -> Mark {
    marked = 0
    if bytes.count > memory / 4 { try spill() }
    marked = entries.count
    return Mark(runs: ends.count, spilled: spilled, entries: entries.count)
  }

  mutating func cut(to mark: Mark) {
    ends.removeLast(ends.count - mark.runs)
    spilled = mark.spilled
    entries.removeLast(entries.count - mark.entries)
    bytes.removeLast(bytes.count - (entries.last.map { Int($0.start + $0.count) } ?? 0))
  }

  // MARK: Runs

  /// What was there at the mark stays in memory.
  private mutating func spill() throws(IndexError) {
    guard entries.count > marked else { return }
    let file: RecordFile
    if let open = self.file { file = open } else { file = try RecordFile(in: directory) }
    self.file = file
    var end = ends.last ?? 0
    var run = Array(entries[marked...])
    Self.sort(&run, bytes)
    var buffer: [UInt8] = []
    buffer.reserveCapacity(1 << 17)
    for entry in run {
      withUnsafeBytes(of: UInt16(entry.count).littleEndian) { buffer.append(contentsOf: $0) }
      buffer.append(contentsOf: bytes[Int(entry.start)..<Int(entry.start + entry.count)])
      if buffer.count >= 1 << 16 { try Self.write(&buffer, to: file, at: &end) }
    }
    try Self.write(&buffer, to: file, at: &end)
    ends.append(end)
    spilled += run.count
    bytes.removeLast(bytes.count - Int(entries[marked].start))
    entries.removeLast(run.count)
  }

  private static func write(
    _ buffer: inout [UInt8], to file: RecordFile, at end: inout Int64
  ) throws(IndexError) {
    // A closure would lose the type of the error.
    var failure: IndexError?
    buffer.withUnsafeBytes { bytes in
      do throws(IndexError) { try file.write(bytes, at: end) } catch { failure = error }
    }
    if let failure { throw failure }
    end += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }

  private static func sort(_ entries: inout [Entry], _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      entries.sort { a, b in
        if a.beginning != b.beginning { return a.beginning < b.beginning }
        guard let start = bytes.baseAddress else { return false }
        let order = memcmp(start + Int(a.start), start + Int(b.start), Int(min(a.count, b.count)))
        return order == 0 ? a.count < b.count : order < 0
      }
    }
  }

  /// All records in their order. The memory of this goes over to it.
  consuming func sorted() throws(IndexError) -> SortedRecords {
    marked = 0
    if let file {
      try spill()
      return try SortedRecords(file, ends: ends, count: spilled)
    }
    Self.sort(&entries, bytes)
    return SortedRecords(bytes, entries.map { ($0.start, $0.count) })
  }
}
