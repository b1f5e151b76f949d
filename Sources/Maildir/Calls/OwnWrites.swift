import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The names that this process gives and takes away in directories, for whoever watches these: an event of a change that
/// stands here is no news. Each stands here for one event, and for 5 to 10 seconds at most.
package enum OwnWrites {
  package enum Kind: Sendable { case came, went }

  private static let areKept = Atomic<Bool>(false)
  private static let table = Mutex(OwnWriteTable())

  /// From here on. Until somebody watches, a change costs one look at a flag more.
  package static func keep() { areKept.store(true, ordering: .relaxed) }

  /// Whether the event is of a change of ours. It is told once: of the next event the same is not known any more.
  package static func take(
    _ kind: Kind, _ name: UnsafeRawBufferPointer, in directory: DirectoryIdentity
  )
    -> Bool
  {
    let change = Change(kind: kind, directory: directory, name: XXH3.hash(name))
    return table.withLock { $0.take(change, at: steadyClock()) }
  }

  /// Whether an event is to come that ``take(_:_:in:)`` will tell to be ours.
  package static func expect(
    _ kind: Kind, _ name: UnsafeRawBufferPointer, in directory: DirectoryIdentity
  ) -> Bool {
    let change = Change(kind: kind, directory: directory, name: XXH3.hash(name))
    return table.withLock { $0.holds(change, at: steadyClock()) }
  }

  /// Makes a change of names. It is put down first, since its events come before the call returns, and struck out again
  /// where it fails.
  ///
  /// - Parameter call: returns whether it changed anything; `errno` stays as it left it.
  static func during<E: Error>(
    _ changes: @autoclosure () -> [Change?], _ call: () throws(E) -> Bool
  ) throws(E) -> Bool {
    guard areKept.load(ordering: .relaxed) else { return try call() }
    let changes = changes().compactMap { $0 }
    table.withLock { $0.add(changes, at: steadyClock()) }
    var isDone = false
    defer {
      if !isDone {
        let code = errno
        table.withLock { for change in changes { _ = $0.take(change, at: steadyClock()) } }
        errno = code
      }
    }
    isDone = try call()
    return isDone
  }

  struct Change: Hashable, Sendable {
    let kind: Kind
    let directory: DirectoryIdentity
    /// Its hash.
    let name: UInt64

    static func came(_ name: UnsafePointer<CChar>, _ directory: Directory) -> Change? {
      Change(.came, name, directory)
    }
    static func went(_ name: UnsafePointer<CChar>, _ directory: Directory) -> Change? {
      Change(.went, name, directory)
    }
  }
}

extension OwnWrites.Change {
  fileprivate init?(
    _ kind: OwnWrites.Kind, _ name: UnsafePointer<CChar>, _ directory: Directory
  ) {
    guard let identity = try? directory.identity else { return nil }
    let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
    self.init(kind: kind, directory: identity, name: XXH3.hash(bytes))
  }
}

/// Forgets by halves: what was added in one span of 5 seconds goes when the next but one begins.
struct OwnWriteTable {
  private var recent: [OwnWrites.Change: Int] = [:]
  private var older: [OwnWrites.Change: Int] = [:]
  private var turned: Int64 = 0

  static let span: Int64 = 5_000_000_000

  mutating func add(_ changes: [OwnWrites.Change], at now: Int64) {
    turn(at: now)
    for change in changes { recent[change, default: 0] += 1 }
  }

  mutating func take(_ change: OwnWrites.Change, at now: Int64) -> Bool {
    turn(at: now)
    return Self.take(change, from: &older) || Self.take(change, from: &recent)
  }

  mutating func holds(_ change: OwnWrites.Change, at now: Int64) -> Bool {
    turn(at: now)
    return older[change] != nil || recent[change] != nil
  }

  private static func take(_ change: OwnWrites.Change, from table: inout [OwnWrites.Change: Int])
    -> Bool
  {
    guard let count = table[change] else { return false }
    table[change] = count > 1 ? count - 1 : nil
    return true
  }

  private mutating func turn(at now: Int64) {
    guard now - turned >= Self.span else { return }
    older = now - turned < 2 * Self.span ? recent : [:]
    recent = [:]
    turned = now
  }
}
