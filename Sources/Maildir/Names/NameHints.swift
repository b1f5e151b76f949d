import MailCore

/// What other tools wrote into a base name: mbsync's and offlineimap's `,U=<uid>`, offlineimap's
/// `,FMD5=<hash>`, Dovecot's `,S=<size>` and `,W=<size with CRLF>`.
package struct NameHints: Hashable, Sendable {
  /// In the folder that the tool put the file into. Worth nothing where the file was moved since.
  package var uid: UID?
  /// MD5 of the folder's name as offlineimap spells it: 32 lower-case digits.
  package var folderMD5: [UInt8]?
  package var size: UInt64?
  package var crlfSize: UInt64?

  package init(base: [UInt8]) {
    for field in Self.fields(of: base) {
      var value = base[field.value]
      switch field.key {
      case .uid: uid = value.takeUInt32().flatMap { $0 > 0 && value.isEmpty ? UID($0) : nil }
      case .folderMD5: folderMD5 = Array(value)
      case .size: size = value.takeUInt64().flatMap { value.isEmpty ? $0 : nil }
      case .crlfSize: crlfSize = value.takeUInt64().flatMap { value.isEmpty ? $0 : nil }
      }
    }
  }

  /// The base with `,S=` and `,W=` set right, or nil when they are right or not there.
  ///
  /// Dovecot and others believe these sizes without a look at the file.
  package static func corrected(base: [UInt8], size: UInt64, crlfSize: UInt64) -> [UInt8]? {
    var result = base
    for field in fields(of: base).reversed() {
      var right: [UInt8] = []
      switch field.key {
      case .size: right.appendDecimal(Int64(clamping: size))
      case .crlfSize: right.appendDecimal(Int64(clamping: crlfSize))
      case .uid, .folderMD5: continue
      }
      result.replaceSubrange(field.value, with: right)
    }
    return result == base ? nil : result
  }

  /// The base without `,U=` and `,FMD5=`, or nil when it has neither: where a file goes to another
  /// folder, its UID there would be a lie that makes mbsync lose the message.
  package static func withoutForeignUID(base: [UInt8]) -> [UInt8]? {
    without([.uid, .folderMD5], base: base)
  }

  /// The base without `,S=` and `,W=`, or nil when it has neither.
  static func withoutSizes(base: [UInt8]) -> [UInt8]? { without([.size, .crlfSize], base: base) }

  private static func without(_ keys: [Key], base: [UInt8]) -> [UInt8]? {
    var result = base
    for field in fields(of: base).reversed() where keys.contains(field.key) {
      result.removeSubrange(field.whole)
    }
    return result.count == base.count || result.isEmpty ? nil : result
  }

  private enum Key {
    case uid, folderMD5, size, crlfSize

    init?(_ bytes: ArraySlice<UInt8>) {
      switch String(decoding: bytes, as: UTF8.self) {
      case "U": self = .uid
      case "FMD5": self = .folderMD5
      case "S": self = .size
      case "W": self = .crlfSize
      default: return nil
      }
    }
  }

  private struct Field {
    var key: Key
    /// From the comma on.
    var whole: Range<Int>
    var value: Range<Int>
  }

  /// The `,key=value` pieces in order of appearance.
  private static func fields(of base: [UInt8]) -> [Field] {
    guard var start = base.firstIndex(of: UInt8(ascii: ",")) else { return [] }
    var fields: [Field] = []
    while start < base.count {
      let end = base[(start + 1)...].firstIndex(of: UInt8(ascii: ",")) ?? base.count
      let piece = base[(start + 1)..<end]
      if let equals = piece.firstIndex(of: UInt8(ascii: "=")), equals - start <= 5,
        let key = Key(piece[..<equals])
      {
        fields.append(Field(key: key, whole: start..<end, value: (equals + 1)..<end))
      }
      start = end
    }
    return fields
  }
}
