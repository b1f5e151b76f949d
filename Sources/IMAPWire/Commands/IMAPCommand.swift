import MailCore

/// One command, ready to be written but for its tag and the form of its literals (RFC 9051 §6).
///
/// The static functions make the commands; they take mailbox names as the server's raw bytes.
package struct IMAPCommand {
  /// Message bytes for APPEND that are produced while they are sent.
  package struct Source {
    /// Exactly as many bytes as `write` hands out.
    package var size: Int
    package var write: (_ sink: (UnsafeRawBufferPointer) throws -> Void) throws -> Void

    package init(
      size: Int,
      write: @escaping (_ sink: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) {
      self.size = size
      self.write = write
    }
  }

  enum Part {
    case text([UInt8])
    /// `isBinary`: literal8, `~{n}` (RFC 3516).
    case literal([UInt8], isBinary: Bool)
    case source(Source, isBinary: Bool)
  }

  /// `UID FETCH`: for errors and logs.
  package let name: String
  /// Carries a password: it never reaches a log.
  package var isSecret = false
  /// The server may send nothing for a while, because it reads or writes the messages themselves and not only its index, or
  /// has to make that index first.
  package let mayTakeLong: Bool
  private(set) var parts: [Part]

  init(_ name: String, mayTakeLong: Bool = false) {
    self.name = name
    self.mayTakeLong = mayTakeLong
    parts = [.text(Array(name.utf8))]
  }

  // MARK: Building

  /// Appends text as it is.
  mutating func add(_ text: String) { add(bytes: text.utf8) }

  mutating func add(bytes: some Sequence<UInt8>) {
    if case .text(var text) = parts[parts.count - 1] {
      parts.removeLast()
      text.append(contentsOf: bytes)
      parts.append(.text(text))
    } else {
      parts.append(.text(Array(bytes)))
    }
  }

  mutating func add(literal bytes: [UInt8], isBinary: Bool = false) {
    parts.append(.literal(bytes, isBinary: isBinary))
  }

  mutating func add(_ source: Source, isBinary: Bool) {
    parts.append(.source(source, isBinary: isBinary))
  }

  /// A string of any bytes but NUL: quoted where the grammar allows, else a literal.
  ///
  /// 8-bit bytes go quoted only after UTF8=ACCEPT, which this does not know: so always as a literal.
  mutating func add(string bytes: [UInt8]) {
    let isQuotable =
      bytes.count <= 1000
      && bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    guard isQuotable else {
      add(literal: bytes)
      return
    }
    var quoted: [UInt8] = [UInt8(ascii: "\"")]
    for byte in bytes {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        quoted.append(UInt8(ascii: "\\"))
      }
      quoted.append(byte)
    }
    quoted.append(UInt8(ascii: "\""))
    add(bytes: quoted)
  }

  /// A set of UIDs, in ascending order (QQ refuses others).
  ///
  /// A range that ends at the highest number there is becomes `1:*`, but `n:4294967295` where it does
  /// not begin at 1: `n:*` names the last message even if its UID is below n.
  mutating func add(_ set: UIDSet, avoidsStar: Bool = false) {
    if !avoidsStar, set.ranges == [1...UInt32.max] {
      add("1:*")
    } else {
      add(set.description)
    }
  }
}
