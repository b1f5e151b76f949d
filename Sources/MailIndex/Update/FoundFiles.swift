import Maildir
import Synchronization

/// The files that a scan found, few or a million, roughly by date, so that rows of one time come to lie together.
struct FoundFiles {
  private var records: RecordSort
  /// The rows that they replace.
  private(set) var replaced: [Int64] = []
  private var failure: IndexError?
  private var record: [UInt8] = []

  /// - Parameter directory: for what does not fit into memory.
  init(in directory: String) { records = RecordSort(in: directory) }

  var count: Int { records.count }

  mutating func add(
    _ name: UnsafeRawBufferPointer, in subdirectory: Subdirectory, inode: UInt64, folder: Int32,
    replaces: Int64
  ) {
    if replaces != 0 { replaced.append(replaces) }
    record.removeAll(keepingCapacity: true)
    append(Self.leadingNumber(of: name).bigEndian)
    append(inode.bigEndian)
    append(replaces.bigEndian)
    append(folder.bigEndian)
    record.append(UInt8(subdirectory.rawValue))
    record.append(contentsOf: name)
    attempt { records, record throws(IndexError) in
      var failure: IndexError?
      record.withUnsafeBytes { bytes in
        do throws(IndexError) { try records.add(bytes) } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }

  mutating func add(_ file: NewFile) {
    file.file.name.withUnsafeBytes {
      add(
        $0, in: file.file.subdirectory, inode: file.inode, folder: file.folder,
        replaces: file.replaces)
    }
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number) { record.append(contentsOf: $0) }
  }

  /// A failure is thrown at the end: reading directories throws errors of another type.
  private mutating func attempt(
    _ body: (inout RecordSort, [UInt8]) throws(IndexError) -> Void
  ) {
    guard failure == nil else { return }
    do throws(IndexError) { try body(&records, record) } catch { failure = error }
  }

  // MARK: Taking back what was added last

  struct Mark {
    fileprivate let records: RecordSort.Mark?
    fileprivate let replaced: Int
  }

  mutating func mark() -> Mark {
    var mark: RecordSort.Mark?
    attempt { records, _ throws(IndexError) in mark = try records.mark() }
    return Mark(records: mark, replaced: replaced.count)
  }

  mutating func cut(to mark: Mark) {
    if let records = mark.records { self.records.cut(to: records) }
    replaced.removeLast(replaced.count - mark.replaced)
  }

  // MARK: Reading

  consuming func list() throws(IndexError) -> FoundList {
    if let failure { throw failure }
    return FoundList(try records.sorted())
  }

  /// The number that a name begins with, which is mostly the time of delivery; 0 without one.
  private static func leadingNumber(of name: UnsafeRawBufferPointer) -> UInt64 {
    var value: UInt64 = 0
    for byte in name.prefix(12) {
      guard byte &- 48 < 10 else { break }
      value = value * 10 + UInt64(byte &- 48)
    }
    return value
  }
}

/// What a scan found, read once, by one thread or by several.
final class FoundList: Sendable {
  let count: Int
  private let records: Mutex<SortedRecords>

  init(_ records: sending SortedRecords) {
    count = records.count
    self.records = Mutex(records)
  }

  /// - Returns: nil after the last.
  func next() throws(IndexError) -> NewFile? {
    try records.withLock { records throws(IndexError) in
      do { return try records.next(Self.file) } catch { throw IndexError(error) }
    }
  }

  /// The next files, no more than so many; empty after the last.
  func next(_ count: Int) throws(IndexError) -> [NewFile] {
    var files: [NewFile] = []
    while files.count < count, let file = try next() { files.append(file) }
    return files
  }

  private static func file(_ record: UnsafeRawBufferPointer) -> NewFile {
    func value<T: FixedWidthInteger>(_ offset: Int, as type: T.Type) -> T {
      T(bigEndian: record.loadUnaligned(fromByteOffset: offset, as: type))
    }
    return NewFile(
      file: MessageFile(
        subdirectory: Subdirectory(rawValue: .init(record[28])) ?? .cur, name: Array(record[29...])),
      inode: value(8, as: UInt64.self), folder: value(24, as: Int32.self),
      replaces: value(16, as: Int64.self))
  }
}
