/// A configuration file as text, into which an account is put: every other byte stays as it is.
package struct ConfigurationText: Sendable, Equatable {
  package internal(set) var bytes: [UInt8]

  /// - Parameter bytes: nil where there is no file yet.
  package init(_ bytes: [UInt8]?) { self.bytes = bytes ?? [] }

  package var isEmpty: Bool {
    bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 9 }
  }

  /// A new file: where the tree lies, then the account.
  package mutating func begin(root: String, _ tables: AccountTables) {
    bytes = Array(
      """
      # The configuration of mirror; every key: mirror-config(5).

      root = \(TOMLText.string(root))


      """.utf8)
    bytes += Array(tables.text.utf8)
  }

  /// Puts the account's tables at the end.
  package mutating func append(_ tables: AccountTables) {
    let newline: [UInt8] = usesCRLF ? [0x0D, 0x0A] : [0x0A]
    if let last = bytes.last, last != 0x0A { bytes += newline }
    if !bytes.isEmpty { bytes += newline }
    bytes += usesCRLF ? Self.withCRLF(tables.text) : Array(tables.text.utf8)
  }

  var usesCRLF: Bool {
    guard let index = bytes.firstIndex(of: 0x0A), index > 0 else { return false }
    return bytes[index - 1] == 0x0D
  }

  private static func withCRLF(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte == 0x0A { bytes.append(0x0D) }
      bytes.append(byte)
    }
    return bytes
  }
}
