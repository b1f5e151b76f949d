import GRDB
import GRDBSQLite
import MailCore

/// One message of one mailbox: the server's identity, where it lies here, and what both sides agreed on.
///
/// Read and written by hand-bound statements: a first pull makes one of these a message.
package struct MessageRecord: Sendable, Equatable {
  /// How the file differs from the usual.
  package struct Traits: OptionSet, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    /// The server's bytes hold a bare LF or CR: the file keeps them as they came, not LF-converted.
    package static let keptAsItCame = Traits(rawValue: 1)
    /// The file begins with our keywords line, perhaps an empty one.
    package static let hasKeywordsLine = Traits(rawValue: 2)
    /// Known on the server, deliberately not kept here: out of the window.
    package static let pruned = Traits(rawValue: 4)
    /// Adopted by its header: whether line ends were converted is a guess.
    package static let adopted = Traits(rawValue: 8)
    /// The server proved that it expunged the message; the file is still to be unlinked.
    package static let expunged = Traits(rawValue: 16)
    /// Adopted, though its body is not as long as the server's: a person may have edited it, so no window leaves it out.
    package static let differs = Traits(rawValue: 32)
    /// Moved on or deleted by a push, and still on the server, marked \Deleted: no window brings it back. Always with
    /// `pruned`.
    package static let leaving = Traits(rawValue: 64)
    /// The server shows it no longer, and nothing says that it was expunged: its file stays, and what is done to it here
    /// waits, until it is shown again or a person lets it go.
    package static let outOfView = Traits(rawValue: 128)
  }

  package var uid: UID
  /// Base name: the file name up to the flags. Empty for a pruned message.
  package var name: [UInt8]
  /// Merge base: what server and tree both had when they last agreed.
  package var agreed: MessageMarks
  /// What the server last said, where that could not be brought into the tree yet; else nil.
  package var unappliedRemote: MessageMarks?
  /// XXH3-64 of the canonical header, and of the canonical content. 0 when not known.
  package var headerHash: UInt64
  package var contentHash: UInt64
  /// Bytes of the file as this program left it, our keywords line included.
  package var size: Int64
  /// Bytes as the server sent them, CRLF and all; 0 when not known.
  package var serverSize: Int64 = 0
  /// INTERNALDATE, Unix seconds.
  package var internalDate: Int64
  package var traits: Traits
  /// EMAILID (RFC 8474) or X-GM-MSGID, where the server gives one.
  package var emailID: String?
  /// Keywords and labels that the message itself brought along in its header.
  package var nativeLabels: Keywords = .none

  package init(
    uid: UID, name: [UInt8], agreed: MessageMarks, unappliedRemote: MessageMarks? = nil,
    headerHash: UInt64 = 0, contentHash: UInt64 = 0, size: Int64 = 0, internalDate: Int64 = 0,
    traits: Traits = [], emailID: String? = nil
  ) {
    self.uid = uid
    self.name = name
    self.agreed = agreed
    self.unappliedRemote = unappliedRemote
    self.headerHash = headerHash
    self.contentHash = contentHash
    self.size = size
    self.internalDate = internalDate
    self.traits = traits
    self.emailID = emailID
  }

  /// What the server is known to have.
  package var remote: MessageMarks { unappliedRemote ?? agreed }
  package var isPruned: Bool { traits.contains(.pruned) }
}

extension MessageRecord {
  static let columns =
    "uid, name, flags, keywords, remoteFlags, remoteKeywords, headerHash, contentHash, size, "
    + "internalDate, traits, emailID, nativeLabels, serverSize"

  /// Reads the current row of a statement that selected `columns`.
  init(row: OpaquePointer) {
    uid = UID(UInt32(truncatingIfNeeded: sqlite3_column_int64(row, 0)))
    name = columnBytes(row, 1)
    agreed = MessageMarks(
      flags: MessageFlags(rawValue: UInt8(truncatingIfNeeded: sqlite3_column_int64(row, 2))),
      keywords: Keywords(stored: columnBytes(row, 3)))
    if sqlite3_column_type(row, 4) != SQLITE_NULL {
      unappliedRemote = MessageMarks(
        flags: MessageFlags(rawValue: UInt8(truncatingIfNeeded: sqlite3_column_int64(row, 4))),
        keywords: Keywords(stored: columnBytes(row, 5)))
    }
    headerHash = UInt64(bitPattern: sqlite3_column_int64(row, 6))
    contentHash = UInt64(bitPattern: sqlite3_column_int64(row, 7))
    size = sqlite3_column_int64(row, 8)
    internalDate = sqlite3_column_int64(row, 9)
    traits = Traits(rawValue: sqlite3_column_int64(row, 10))
    let email = columnBytes(row, 11)
    emailID = email.isEmpty ? nil : String(decoding: email, as: UTF8.self)
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
    sqlite3_bind_int64(row, 8, Int64(bitPattern: headerHash))
    sqlite3_bind_int64(row, 9, Int64(bitPattern: contentHash))
    sqlite3_bind_int64(row, 10, size)
    sqlite3_bind_int64(row, 11, internalDate)
    sqlite3_bind_int64(row, 12, traits.rawValue)
    if let emailID {
      bindBytes(row, 13, Array(emailID.utf8))
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
