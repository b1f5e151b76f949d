import Foundation
import MailCore
import Maildir
import Testing

/// An account's tree in a directory of its own, removed at the end.
final class ScratchTree {
  let path: String
  let tree: AccountTree

  /// - Parameter onDisk: in the temporary directory instead of in memory.
  init(onDisk: Bool = false) throws {
    let memory = "/dev/shm"
    let parent =
      !onDisk && FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    path = parent + "/maildir-tests-" + UUID().uuidString
    tree = try AccountTree.open(path: path + "/account", create: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func folder(_ path: String) throws -> MaildirFolder {
    try MaildirFolder.create(try #require(FolderPath(text: path)), in: tree, fsync: false)
  }

  func url(_ relative: String) -> URL { URL(fileURLWithPath: path + "/account/" + relative) }
  func write(_ text: String, to relative: String) throws {
    try Data(text.utf8).write(to: url(relative))
  }
  func bytes(_ relative: String) throws -> [UInt8] { Array(try Data(contentsOf: url(relative))) }
  func bytes(_ file: MessageFile, in folder: String) throws -> [UInt8] {
    try bytes(folder + "/" + file.description)
  }
  func names(_ relative: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url(relative).path).sorted()
  }
  func exists(_ relative: String) -> Bool {
    FileManager.default.fileExists(atPath: url(relative).path)
  }
}

extension FolderPath {
  static func test(_ text: String) -> FolderPath { FolderPath(text: text)! }
}

/// Fixed numbers for a fixed seed.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Delivers one message, whole or in chunks, and returns what became of it.
@discardableResult
func deliver(
  _ message: [UInt8], to folder: MaildirFolder, policy: MaildirPolicy = MaildirPolicy(fsync: false),
  marks: MessageMarks = MessageMarks(), date: Int64 = 1_700_000_000, uid: UInt32 = 1,
  chunk: Int = .max, hint: Keywords? = nil
) throws -> DeliveredMessage {
  let writer = DeliveryWriter(policy: policy)
  writer.begin(in: folder, keywords: hint)
  try feed(message, to: writer, chunk: chunk)
  var batch = DeliveryBatch(policy: policy)
  batch.add(try writer.finish(marks: marks, internalDate: date, base: birth(uid, date).base))
  let outcome = batch.commit()
  if let failure = outcome.failure { throw failure }
  return try #require(outcome.delivered.first)
}

func feed(_ message: [UInt8], to writer: DeliveryWriter, chunk: Int = .max) throws {
  var rest = message[...]
  while !rest.isEmpty {
    try Array(rest.prefix(chunk)).withUnsafeBytes { try writer.write($0) }
    rest = rest.dropFirst(chunk)
  }
}

func birth(_ uid: UInt32, _ date: Int64 = 1_700_000_000) -> BirthName {
  BirthName(
    internalDate: date, mailbox: MailboxName("INBOX", delimiter: "/"), uidValidity: UIDValidity(7),
    uid: UID(uid), account: "personal")
}

func serverBytes(
  _ file: MessageFile, in folder: MaildirFolder, asCame: Bool?,
  policy: MaildirPolicy = MaildirPolicy(fsync: false)
) throws -> [UInt8] {
  var bytes: [UInt8] = []
  try folder.readServerBytes(of: file, asCame: asCame, policy: policy) { bytes += $0 }
  return bytes
}

func digest(_ message: [UInt8], labelName: String? = "X-Keywords") -> MessageDigest {
  message.withUnsafeBytes { MessageDigest.of(serverBytes: $0, labelName: labelName) }
}

extension [UInt8] {
  init(_ text: String) { self = Array(text.utf8) }
  var text: String { String(decoding: self, as: UTF8.self) }
}
