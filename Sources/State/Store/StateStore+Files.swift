import GRDB
import Ledger
import MailCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension StateStore {
  /// Replaces `backup` atomically by a consistent copy of the database.
  package func backUp(to backup: String, durable: Bool) throws(StateError) {
    let temporary = backup + ".tmp"
    unlink(temporary)
    unlink(temporary + "-journal")
    do {
      let copy = try DatabaseQueue(path: temporary)
      try queue.backup(to: copy)
      // A single file without side files, wherever it is carried to.
      try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try copy.close()
    } catch {
      unlink(temporary)
      throw StateError(error)
    }
    if durable { synchronise(temporary) }
    guard rename(temporary, backup) == 0 else {
      throw .failed("\(backup): \(String(cString: strerror(errno)))")
    }
    if durable {
      synchronise(String(backup.prefix(upTo: backup.lastIndex(of: "/") ?? backup.endIndex)))
    }
  }

  private func synchronise(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) != 0 { fsync(descriptor) }
    #else
      fsync(descriptor)
    #endif
    close(descriptor)
  }

  /// A database shorter than its own header says is torn: SQLite would notice only when it got there.
  static func checkLength(_ path: String) throws(StateError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &header, 100, 0)
    if count == 0 { throw .damaged("it is empty") }
    guard count == 100, header.starts(with: Array("SQLite format 3".utf8)) else {
      throw .damaged("no SQLite header")
    }
    let pageSize = Int(header[16]) << 8 | Int(header[17])
    let pages = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
    let length = lseek(descriptor, 0, SEEK_END)
    // The WAL may hold the missing pages; without one they are gone.
    if !hasLog(path), length < off_t(pages * (pageSize == 1 ? 65536 : pageSize)) {
      throw .damaged("it is \(length) bytes long and should be \(pages * pageSize)")
    }
  }

  static func hasLog(_ path: String) -> Bool {
    var log = stat()
    return stat(path + "-wal", &log) == 0 && log.st_size > 0
  }

  static func isForReadingOnly(_ path: String) -> Bool {
    access(path, W_OK) != 0 || access(path + "-wal", F_OK) == 0
  }

  /// Whether nobody can change it: it lies on a file system that is mounted read-only, without a log. SQLite could not
  /// make its side files there, and needs none.
  static func isFrozen(_ path: String) -> Bool {
    access(path + "-wal", F_OK) != 0 && access(path, W_OK) != 0 && errno == EROFS
  }

  /// How SQLite is told so (sqlite.org/uri.html).
  static func frozenAddress(_ path: String) -> String {
    let isPlain = { (byte: UInt8) in
      byte >= 0x80 || byte > 32 && !"#?%".utf8.contains(byte)
    }
    let hex = Array("0123456789abcdef".utf8)
    var address = Array("file:".utf8)
    for byte in path.utf8 {
      address += isPlain(byte) ? [byte] : [37, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
    }
    return String(decoding: address, as: UTF8.self) + "?immutable=1"
  }

  /// Moves a damaged database and its side files away, so that a person can still look at it.
  package static func setAside(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      rename(path + suffix, path + ".damaged" + suffix)
    }
  }
}
