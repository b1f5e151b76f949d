import GRDB
import GRDBSQLite
import Ledger
import MailCore

/// Read and written by hand-bound statements: a first pull makes one of these a message.
extension MessageRecord {
  static let columns =
    "uid, name, flags, keywords, remoteFlags, remoteKeywords, headerHash, contentHash, size, "
    + "internalDate, traits, emailID, nativeLabels, serverSize"

  /// Reads the current row of a statement that selected `columns`.
  init(row: OpaquePointer) {
    self.init(
      uid: UID(UInt32(truncatingIfNeeded: sqlite3_column_int64(row, 0))),
      name: columnBytes(row, 1),
      agreed: MessageMarks(
        flags: MessageFlags(rawValue: UInt8(truncatingIfNeeded: sqlite3_column_int64(row, 2))),
        keywords: Keywords(stored: columnBytes(row, 3))),
      headerHash: HeaderHash(row: row, 6),
      contentHash: ContentHash(row: row, 7),
      size: sqlite3_column_int64(row, 8), internalDate: sqlite3_column_int64(row, 9),
      traits: Traits(rawValue: sqlite3_column_int64(row, 10)))
    if sqlite3_column_type(row, 4) != SQLITE_NULL {
      unappliedRemote = MessageMarks(
        flags: MessageFlags(rawValue: UInt8(truncatingIfNeeded: sqlite3_column_int64(row, 4))),
        keywords: Keywords(stored: columnBytes(row, 5)))
    }
    let email = columnBytes(row, 11)
    identity = email.isEmpty ? nil : String(decoding: email, as: UTF8.self)
    nativeLabels = Keywords(stored: columnBytes(row, 12))
    serverSize = sqlite3_column_int64(row, 13)
  }

  /// Binds to parameters 2…15 of an insert whose first parameter is the mailbox.
  func bind(to row: OpaquePointer) {
    sqlite3_bind_int64(row, 2, Int64(uid.rawValue))
    bindBytes(row, 3, name)
    sqlite3_bind_int64(row, 4, Int64(agreed.flags.rawValue))
    bindBytes(row, 5, agreed.keywords.stored)
    if let remote = unappliedRemote {
      sqlite3_bind_int64(row, 6, Int64(remote.flags.rawValue))
      bindBytes(row, 7, remote.keywords.stored)
    } else {
      sqlite3_bind_null(row, 6)
      sqlite3_bind_null(row, 7)
    }
    sqlite3_bind_int64(row, 8, headerHash.column)
    sqlite3_bind_int64(row, 9, contentHash.column)
    sqlite3_bind_int64(row, 10, size)
    sqlite3_bind_int64(row, 11, internalDate)
    sqlite3_bind_int64(row, 12, traits.rawValue)
    if let identity {
      bindBytes(row, 13, Array(identity.utf8))
    } else {
      sqlite3_bind_null(row, 13)
    }
    bindBytes(row, 14, nativeLabels.stored)
    sqlite3_bind_int64(row, 15, serverSize)
  }
}

extension Keywords {
  /// Names with a line feed between. One that holds a line feed (in a label header of somebody's making) has it as ESC n,
  /// and ESC as ESC e.
  var stored: [UInt8] {
    if isEmpty { return [] }
    var bytes: [UInt8] = []
    for name in self {
      if !bytes.isEmpty { bytes.append(Self.lineFeed) }
      for byte in name.utf8 {
        switch byte {
        case Self.lineFeed: bytes += [Self.escape, UInt8(ascii: "n")]
        case Self.escape: bytes += [Self.escape, UInt8(ascii: "e")]
        default: bytes.append(byte)
        }
      }
    }
    return bytes
  }

  init(stored bytes: [UInt8]) {
    if bytes.isEmpty {
      self = .none
    } else {
      self.init(bytes.split(separator: Self.lineFeed).map(Self.name))
    }
  }

  private static func name(_ stored: ArraySlice<UInt8>) -> String {
    guard stored.contains(escape) else { return String(decoding: stored, as: UTF8.self) }
    var bytes: [UInt8] = []
    var rest = stored
    while let byte = rest.popFirst() {
      switch (byte, rest.first) {
      case (escape, UInt8(ascii: "n")):
        bytes.append(lineFeed)
        rest.removeFirst()
      case (escape, UInt8(ascii: "e")):
        bytes.append(escape)
        rest.removeFirst()
      // An earlier program wrote ESC as it is.
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let lineFeed: UInt8 = 10
  private static let escape: UInt8 = 27
}

func columnBytes(_ row: OpaquePointer, _ column: Int32) -> [UInt8] {
  guard let start = sqlite3_column_blob(row, column) else { return [] }
  let count = Int(sqlite3_column_bytes(row, column))
  return Array(UnsafeRawBufferPointer(start: start, count: count))
}

/// As text, so that a person's `sqlite3` shows it; copied, because the array does not outlive the call.
private func bindBytes(_ row: OpaquePointer, _ parameter: Int32, _ bytes: [UInt8]) {
  let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)  // SQLITE_TRANSIENT
  _ = bytes.withUnsafeBytes { buffer in
    if let start = buffer.baseAddress {
      sqlite3_bind_text(
        row, parameter, start.assumingMemoryBound(to: CChar.self), Int32(buffer.count), copy)
    } else {
      sqlite3_bind_text(row, parameter, "", 0, nil)
    }
  }
}
