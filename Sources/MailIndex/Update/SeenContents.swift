/// Which contents have a message already, while an index is made: the last ones in memory, all others on disk, in
/// sorted runs. A filter of two bytes a message says of most that they are in none.
struct SeenContents {
  private let directory: String
  private let most: Int
  private var recent: [UInt64: Int64] = [:]
  private var file: RecordFile?
  private var written: Int64 = 0
  private var runs: [Run] = []
  private var buffer: [Entry] = []

  private struct Entry {
    var key: UInt64 = 0
    var message: Int64 = 0
  }

  private struct Run {
    let start: Int64
    let count: Int
    /// The first key of each block.
    let fences: [UInt64]
    let filter: KeyFilter
  }

  /// Entries that are read at once.
  private static let block = 256

  /// - Parameters:
  ///   - directory: where runs are written, if there are many contents.
  ///   - most: how many are held in memory.
  init(in directory: String, most: Int = 1 << 16) {
    self.directory = directory
    self.most = most
  }

  /// One number for a content in an account.
  static func key(_ contentHash: Int64, account: Int64) -> UInt64 {
    LinkKey.mixed(
      UInt64(bitPattern: contentHash) ^ LinkKey.mixed(UInt64(bitPattern: account) &+ 1))
  }

  /// - Parameter key: one that is not known yet.
  mutating func add(_ key: UInt64, message: Int64) throws(IndexError) {
    recent[key] = message
    if recent.count >= most { try spill() }
  }

  mutating func message(with key: UInt64) throws(IndexError) -> Int64? {
    if let message = recent[key] { return message }
    for run in runs where run.filter.mayHold(key) {
      if let message = try find(key, in: run) { return message }
    }
    return nil
  }

  private mutating func spill() throws(IndexError) {
    let file: RecordFile
    if let open = self.file { file = open } else { file = try RecordFile(in: directory) }
    self.file = file
    let entries = recent.map { Entry(key: $0.key, message: $0.value) }.sorted { $0.key < $1.key }
    recent.removeAll(keepingCapacity: true)
    var filter = KeyFilter(count: entries.count)
    for entry in entries { filter.add(entry.key) }
    let start = written
    var failure: IndexError?
    entries.withUnsafeBytes { bytes in
      do throws(IndexError) { try file.write(bytes, at: start) } catch { failure = error }
    }
    if let failure { throw failure }
    written += Int64(entries.count * MemoryLayout<Entry>.stride)
    runs.append(
      Run(
        start: start, count: entries.count,
        fences: stride(from: 0, to: entries.count, by: Self.block).map { entries[$0].key },
        filter: filter))
  }

  private mutating func find(_ key: UInt64, in run: Run) throws(IndexError) -> Int64? {
    guard let file else { return nil }
    var (low, high) = (0, run.fences.count)  // the first block that begins beyond the key
    while low < high {
      let middle = (low + high) / 2
      if run.fences[middle] <= key { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let first = (low - 1) * Self.block
    let count = min(Self.block, run.count - first)
    if buffer.isEmpty { buffer = Array(repeating: Entry(), count: Self.block) }
    let size = MemoryLayout<Entry>.stride
    var failure: IndexError?
    buffer.withUnsafeMutableBytes { bytes in
      let block = UnsafeMutableRawBufferPointer(rebasing: bytes[..<(count * size)])
      do throws(IndexError) {
        let got = try file.read(at: run.start + Int64(first * size), into: block)
        if got < block.count {
          throw .disk("a file of the index's own is shorter than it was written")
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return buffer[..<count].first { $0.key == key }?.message
  }
}

/// Whether a key may be among those that were added: a Bloom filter of 16 bits a key and four places, which is wrong
/// for one key of 400 that were not.
struct KeyFilter {
  private var words: [UInt64]

  init(count: Int) {
    var words = 1
    while words * 4 < count { words *= 2 }
    self.words = Array(repeating: 0, count: words)
  }

  /// - Parameter key: a hash.
  mutating func add(_ key: UInt64) {
    for place in places(of: key) { words[place >> 6] |= 1 << UInt64(place & 63) }
  }

  func mayHold(_ key: UInt64) -> Bool {
    places(of: key).allSatisfy { words[$0 >> 6] & 1 << UInt64($0 & 63) != 0 }
  }

  private func places(of key: UInt64) -> some Sequence<Int> {
    let mask = words.count * 64 - 1
    let step = key >> 32 | 1
    return (0..<4 as Range<UInt64>).lazy.map { Int(truncatingIfNeeded: key &+ step &* $0) & mask }
  }
}
