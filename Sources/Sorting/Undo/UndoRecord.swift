import Foundation
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A change that a command made to the tree, kept so that it can be taken back.
package struct UndoRecord: Codable, Sendable, Equatable {
  package var version = 1
  /// As it was typed, for people.
  package var command: String
  package var made: Date
  package var steps: [SortingStep]
  /// Where new messages began in each folder then (UIDNEXT): what lies above it arrived since.
  package var nextUIDs: [String: UInt32]?
  /// An undo was there, and left these steps: they do not stand before what came earlier.
  package var wasTried: Bool?
  /// Its place among the records: later ones have greater numbers. Its file's name tells.
  package fileprivate(set) var number = 0

  private enum CodingKeys: String, CodingKey {
    case version, command, made, steps, nextUIDs, wasTried
  }

  package init(command: String, made: Date, steps: [SortingStep]) {
    self.command = command
    self.made = made
    self.steps = steps
  }

  /// Nothing in it names the account any more.
  mutating func forget(account: String) {
    let whole = self
    steps.removeAll { $0.account == account }
    nextUIDs = nextUIDs?.filter { path, _ in
      !account.isEmpty && path != account && !path.hasPrefix(account + "/")
    }
    // What was typed may name its folders and its mail.
    if self != whole || command.lowercased().contains(account.lowercased()) {
      command = String(command.prefix { $0 != " " })
    }
  }

  /// How many messages it is about.
  package var messages: Int { Set(steps.map(\.message)).count }
}

/// Where the records lie: `ROOT/.mirror/undo-N.json`, a file each, so that a new one costs no more than itself.
package struct UndoFile {
  private let directory: String
  /// So many changes can be taken back, besides those that keep a text which exists nowhere else.
  package static let most = 20

  package init(root: String) { directory = root + "/.mirror" }

  /// The last one.
  package func read() throws(SortingError) -> UndoRecord? {
    guard let last = numbers.first else { return nil }
    return try read(last)
  }

  /// All that can be read, the last first, and why others cannot: these stand in no other's way.
  func readable() -> (records: [UndoRecord], damaged: [SortingError]) {
    var records: [UndoRecord] = []
    var damaged: [SortingError] = []
    for number in numbers {
      do throws(SortingError) { records.append(try read(number)) } catch { damaged.append(error) }
    }
    return (records, damaged)
  }

  /// - Throws: ``SortingError/undoFromElsewhere(path:_:)`` for a file that is not ours or damaged.
  private func read(_ number: Int) throws(SortingError) -> UndoRecord {
    let path = path(number)
    do {
      var record = try JSONDecoder().decode(
        UndoRecord.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
      guard record.version == 1 else {
        throw SortingError.undoFromElsewhere(path: path, "its version is \(record.version)")
      }
      record.number = number
      return record
    } catch let error as SortingError {
      throw error
    } catch is DecodingError {
      throw .undoFromElsewhere(path: path, "it holds no record")
    } catch {
      throw .undoFromElsewhere(path: path, error.localizedDescription)
    }
  }

  /// Whole on disk when this returns, and the last one.
  func append(_ record: inout UndoRecord) throws {
    removeUnfinished()
    record.number = (numbers.first ?? 0) + 1
    try write(record)
  }

  /// In its place.
  package func write(_ record: UndoRecord) throws {
    try FileThere.replace(path(record.number), with: JSONEncoder().encode(record))
  }

  package func remove(_ record: UndoRecord) throws {
    removeUnfinished()
    try FileThere.remove(path(record.number))
  }

  /// Those that there is no room for any more, the oldest first: a damaged one is none, nor is one by which a text is kept
  /// that exists nowhere else. That stays until it is taken back.
  func superseded(in tree: SortingTree) -> [UndoRecord] {
    numbers.dropFirst(Self.most).reversed().compactMap { try? read($0) }.filter {
      tree.textsAside(of: $0).isEmpty
    }
  }

  /// An account was given up: nothing of it can be taken back, and nothing is to tell of it. A record that cannot be read is
  /// no other account's loss.
  package func forget(account: String) throws {
    removeUnfinished()
    for number in numbers {
      guard var record = try? read(number) else {
        if names(account, inRecord: number) { try FileThere.remove(path(number)) }
        continue
      }
      let whole = record
      record.forget(account: account)
      if record.steps.isEmpty, !whole.steps.isEmpty {
        try remove(record)
      } else if record != whole {
        try write(record)
      }
    }
  }

  private func names(_ account: String, inRecord number: Int) -> Bool {
    let bytes = FileManager.default.contents(atPath: path(number)) ?? Data()
    return bytes.range(of: Data("\"\(account)\"".utf8)) != nil
  }

  /// What writers left that were killed: one of them holds the tree at a time, and that is this one.
  private func removeUnfinished() {
    for name in files where name.hasSuffix(FileThere.unfinished) {
      let whole = String(name.dropLast(FileThere.unfinished.count))
      if Self.number(whole) != nil { unlink(directory + "/" + name) }
    }
  }

  /// Before there was more than one record, it had no number.
  private func path(_ number: Int) -> String {
    directory + (number == 0 ? "/undo.json" : "/undo-\(number).json")
  }

  /// Of the records, the last first.
  var numbers: [Int] {
    files.compactMap(Self.number).sorted(by: >)
  }

  private var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
  }

  private static func number(_ name: String) -> Int? {
    if name == "undo.json" { return 0 }
    guard name.hasPrefix("undo-"), name.hasSuffix(".json") else { return nil }
    return Int(name.dropFirst("undo-".count).dropLast(".json".count))
  }
}

extension SortingTree {
  /// The steps whose edited files lie aside: no server has them. Where that cannot be told, they count as there.
  func textsAside(of record: UndoRecord) -> [SortingStep] {
    let edits = Dictionary(grouping: record.steps.filter { $0.isEdit == true }, by: \.account)
    return edits.flatMap { account, steps in
      guard let entries = try? AsideEntries.read(account: root + "/" + account) else {
        return steps
      }
      return steps.filter { step in entries.contains { $0.mayBeSetAside(by: step) } }
    }
  }

  /// What this record set aside can no longer be taken back. A file that is not surely its own stays, and so does a text
  /// that is nowhere else.
  func forget(_ record: UndoRecord) {
    let steps = record.steps.filter { $0.action == .setAside && $0.isEdit != true }
    var files = TreeFiles(self, for: steps)
    for step in steps {
      guard let path = try? asideFolder(step.account), let folder = try? folder(path) else {
        continue
      }
      let name = step.doneAs ?? step.base
      let entry =
        step.file == nil
        ? try? files.named(name, in: path) : try? files.same(step.file, named: name, in: path)
      guard let entry else { continue }
      files.take(entry, from: path)
      _ = try? folder.unlink(entry.file)
    }
  }
}
