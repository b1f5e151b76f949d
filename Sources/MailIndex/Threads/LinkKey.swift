import Maildir

/// 64-bit names of what messages share: ids, Outlook conversations, subjects. Of one account each,
/// and stable, for the index keeps them. Zero is never a key.
enum LinkKey {
  private static let ids: UInt64 = 1
  private static let conversations: UInt64 = 2
  private static let subjects: UInt64 = 3

  /// Of a normalised Message-ID. Ids are compared by their bytes (RFC 5322 §3.6.4).
  static func messageID(_ id: String, account: Int64) -> UInt64 {
    key(XXH3.hash(id), kind: ids, account: account)
  }

  static func conversation(_ bytes: ArraySlice<UInt8>, account: Int64) -> UInt64 {
    key(bytes.withUnsafeBytes { XXH3.hash($0) }, kind: conversations, account: account)
  }

  static func subject(_ folded: [UInt8], account: Int64) -> UInt64 {
    key(XXH3.hash(folded), kind: subjects, account: account)
  }

  /// A hash for telling apart only: 32 bits, zero for nothing.
  static func mark(_ folded: [UInt8]) -> UInt32 {
    folded.isEmpty ? 0 : max(1, UInt32(truncatingIfNeeded: XXH3.hash(folded)))
  }

  private static func key(_ hash: UInt64, kind: UInt64, account: Int64) -> UInt64 {
    max(1, mixed(hash ^ mixed(UInt64(bitPattern: account) &* 4 &+ kind)))
  }

  /// MurmurHash3's 64-bit finaliser: every input bit reaches every output bit.
  static func mixed(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ (value >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    value = (value ^ (value >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return value ^ (value >> 33)
  }
}
