/// Finds threads and parents among messages: a function of the set, whatever the order of arrival.
///
/// Threads are the connected components over own ids, In-Reply-To and References, hubs left out
/// (``HubRule``). A message that has neither header is joined by Outlook's conversation, else, where
/// its subject says that it is a reply, to the nearest earlier message of that subject within 30
/// days. Ids of messages that are not there join as well, but are nobody's parent.
///
/// The parent is In-Reply-To where that is exactly one id, else the last reference that is there,
/// else what In-Reply-To names first. Of several messages with one id the earliest is the parent;
/// the others stand beside it. Where parents go round in a circle, its earliest message has none.
///
/// Keys and subjects are sorted, on disk where they are many (``RecordSort``), and looked at one by one: some 30 bytes
/// of memory a message.
struct ThreadLinker {
  static let subjectWindow: Int64 = 30 * 86_400

  /// Is called with each key and subject, in the order of the index's tables.
  struct Listener {
    var key: (_ key: UInt64, _ message: Int64, _ role: LinkRole) throws -> Void = { _, _, _ in }
    var subject: (_ subject: UInt64, _ message: Int64, _ place: SubjectPlace) throws -> Void = {
      _, _, _ in
    }
  }

  private var places = ThreadPlaces()
  private var keys: RecordSort
  private var subjects: RecordSort

  /// - Parameter directory: for what does not fit into memory.
  init(in directory: String, count: Int = 0, memory: Int = 4 << 20) {
    keys = RecordSort(in: directory, memory: memory)
    subjects = RecordSort(in: directory, memory: memory / 4)
    places.reserve(count)
  }

  /// By rising message number, and complete: whatever a message is connected with is added, too.
  mutating func add(_ message: Int64, _ facts: ThreadFacts) throws(IndexError) {
    let place = Int32(truncatingIfNeeded: places.count)
    places.append(message, facts)
    do {
      try facts.forEachClaim(at: place) { claim in try claim.withRecord { try keys.add($0) } }
      guard facts.subject != 0 else { return }
      try SubjectPlace(facts, place).withRecord(facts.subject) { try subjects.add($0) }
    } catch {
      throw IndexError(error)
    }
  }

  /// - Parameter hubs: where they are known; nil to find them.
  consuming func link(hubs: Set<UInt64>?, _ listener: Listener = Listener()) throws -> ThreadLinks {
    var groups = ThreadGroups(places, hubs: hubs)
    let keys = try keys.sorted()
    while let claim = try keys.next({ ThreadClaim(record: $0) }) {
      if claim.kind == .role {
        try listener.key(claim.key, places.ids[Int(claim.place)], claim.role)
      }
      groups.add(claim)
    }
    groups.endKey()
    let subjects = try subjects.sorted()
    var last: (subject: UInt64, place: SubjectPlace)?
    while let (subject, place) = try subjects.next({ SubjectPlace.read($0) }) {
      try listener.subject(subject, places.ids[Int(place.place)], place)
      if let last, last.subject == subject { groups.follow(place, last.place) }
      last = (subject, place)
    }
    return groups.links()
  }
}

/// A message in the order of those with its subject.
struct SubjectPlace {
  let date: Int64
  let rank: UInt32
  let place: Int32
  let seeks: Bool

  private static let sign: UInt64 = 1 << 63

  init(_ facts: ThreadFacts, _ place: Int32) {
    date = facts.date
    rank = facts.rank
    self.place = place
    seeks = facts.seeksSubject
  }

  private init(record: UnsafeRawBufferPointer) {
    date = Int64(
      bitPattern: UInt64(bigEndian: record.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        ^ Self.sign)
    rank = UInt32(bigEndian: record.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    place = Int32(
      truncatingIfNeeded: UInt32(
        bigEndian: record.loadUnaligned(fromByteOffset: 20, as: UInt32.self)))
    seeks = record[24] != 0
  }

  static func read(_ record: UnsafeRawBufferPointer) -> (UInt64, SubjectPlace) {
    (
      UInt64(bigEndian: record.loadUnaligned(fromByteOffset: 0, as: UInt64.self)) ^ sign,
      SubjectPlace(record: record)
    )
  }

  func withRecord<T>(_ subject: UInt64, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T
  {
    try withUnsafeTemporaryAllocation(byteCount: 25, alignment: 8) { bytes in
      bytes.storeBytes(of: (subject ^ Self.sign).bigEndian, toByteOffset: 0, as: UInt64.self)
      bytes.storeBytes(
        of: (UInt64(bitPattern: date) ^ Self.sign).bigEndian, toByteOffset: 8, as: UInt64.self)
      bytes.storeBytes(of: rank.bigEndian, toByteOffset: 16, as: UInt32.self)
      bytes.storeBytes(of: UInt32(place).bigEndian, toByteOffset: 20, as: UInt32.self)
      bytes[24] = seeks ? 1 : 0
      return try body(UnsafeRawBufferPointer(bytes))
    }
  }
}
