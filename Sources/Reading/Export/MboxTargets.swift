import CLISupport
import MailIndex

/// An mbox on standard output.
struct MboxOutput: ExportTarget {
  let console: Console
  let isDry: Bool
  let isOutput = true
  private var buffer: [UInt8] = []

  init(console: Console, isDry: Bool) {
    self.console = console
    self.isDry = isDry
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer, of message: SearchHit) -> String? {
    guard !isDry else { return nil }
    MboxEntry.append(bytes, of: message, to: &buffer)
    buffer.withUnsafeBytes { console.printResult($0) }
    buffer.removeAll(keepingCapacity: buffer.capacity < 1 << 20)
    return nil
  }

  mutating func finish() -> String? { nil }
}

/// An mbox that gets its name when it is whole and on disk.
struct MboxFile: ExportTarget {
  let isOutput = false
  private let path: String
  private let name: String
  private let file: NewFile?
  private var buffer: [UInt8] = []

  /// - Throws: where something has the name, or the directory is not there.
  init(_ path: String, isDry: Bool) throws(SaveError) {
    let place = path.lastIndex(of: "/") ?? path.startIndex
    self.path = path
    name = String(path[place...].dropFirst())
    let parent = path[..<place]
    let directory = try SaveDirectory(existing: parent.isEmpty ? "/" : String(parent))
    guard !name.isEmpty, !directory.has(name) else { throw .exists(path) }
    file = isDry ? nil : try directory.newFile()
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer, of message: SearchHit) throws(SaveError)
    -> String?
  {
    guard let file else { return nil }
    MboxEntry.append(bytes, of: message, to: &buffer)
    try file.write(buffer)
    buffer.removeAll(keepingCapacity: buffer.capacity < 1 << 20)
    return nil
  }

  mutating func finish() throws(SaveError) -> String? {
    guard let file else { return path }
    try file.sync()
    guard try file.place(as: name) else { throw .exists(path) }
    return path
  }
}

/// A file `2025-11-21 The subject.eml` for each message.
struct MessageFiles: ExportTarget {
  let isOutput = false
  private let directory: SaveDirectory

  init(_ directory: SaveDirectory) { self.directory = directory }

  mutating func write(_ bytes: UnsafeRawBufferPointer, of message: SearchHit) throws(SaveError)
    -> String?
  {
    try directory.save(bytes, as: Self.name(message))
  }

  mutating func finish() -> String? { nil }

  static func name(_ message: SearchHit) -> String {
    // What follows a slash or a backslash would be all that is kept of it.
    let subject = message.subject.replacing("/", with: "_").replacing("\\", with: "_")
    let day = CivilTime(local: message.date).dayText
    let shown = SafeFileName.make(from: subject, fallback: "no subject").prefix(80)
    return SafeFileName.make(from: "\(day) \(shown).eml", fallback: "message.eml")
  }
}
