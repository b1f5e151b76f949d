import Foundation

/// The last change that a command made to the tree, kept until the next so that it can be taken back.
package struct UndoRecord: Codable, Sendable, Equatable {
  package var version = 1
  /// As it was typed, for people.
  package var command: String
  package var made: Date
  package var steps: [SortingStep]
  /// Where new messages began in each folder then (UIDNEXT): what lies above it arrived since.
  package var nextUIDs: [String: UInt32]?
  /// The record before this one, at most one, until this command has done something.
  package var earlier: [UndoRecord]?
  /// Steps of earlier commands that took files out of all folders: these files go once this command is done.
  package var superseded: [SortingStep]?

  package init(command: String, made: Date, steps: [SortingStep]) {
    self.command = command
    self.made = made
    self.steps = steps
  }
}

/// Where the record lies: `ROOT/.mirror/undo.json`.
package struct UndoFile {
  private let path: String

  package init(root: String) { path = root + "/.mirror/undo.json" }

  /// - Throws: ``SortingError/undoFromElsewhere(_:)`` for a file that is not ours or damaged.
  package func read() throws -> UndoRecord? {
    guard FileThere.isThere(path) else { return nil }
    do {
      let decoder = JSONDecoder()
      let record = try decoder.decode(
        UndoRecord.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
      guard record.version == 1 else {
        throw SortingError.undoFromElsewhere("its version is \(record.version)")
      }
      return record
    } catch let error as SortingError {
      throw error
    } catch {
      throw SortingError.undoFromElsewhere("\(error.localizedDescription)")
    }
  }

  /// Whole on disk when this returns.
  package func write(_ record: UndoRecord) throws {
    try FileThere.replace(path, with: JSONEncoder().encode(record))
  }

  /// - Parameter record: nil to have none.
  func replace(with record: UndoRecord?) throws {
    if let record { try write(record) } else { try remove() }
  }

  package func remove() throws { try FileThere.remove(path) }
}
