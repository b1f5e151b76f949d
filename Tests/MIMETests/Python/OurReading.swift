import MIME

/// What our parser makes of a message, in a form that can be compared.
struct OurReading {
  struct Part {
    var type: String
    var parent: Int?
    var section: String
    var disposition: String?
    var file: String?
    /// Decoded.
    var content: [UInt8]
    /// Of a text part, with LF line ends.
    var text: String
  }

  var subject: String?
  var date: Int64?
  var messageID: String?
  var from: [[String]] = []
  var to: [[String]] = []
  var cc: [[String]] = []
  var parts: [Part] = []
  var defects: MIMEDefects = []
  /// The text that an index gets.
  var body = ""

  init(_ message: [UInt8]) {
    message.withUnsafeBytes { bytes in
      let structure = MessageStructure.parse(bytes)
      defects = structure.defects
      if let root = structure.parts.first {
        readHeader(bytes, root.header, fallback: structure.headerFallback(bytes))
      }
      parts = structure.parts.map { Part($0, in: bytes) }
      body = String(decoding: MessageText.extract(bytes, structure).body, as: UTF8.self)
    }
  }

  private mutating func readHeader(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, fallback: Charset
  ) {
    let fields = HeaderFields(bytes, in: range)
    func value(_ kind: FieldKind) -> UnsafeRawBufferPointer? {
      fields.first(kind).map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    }
    func people(_ kind: FieldKind) -> [[String]] {
      value(kind).map {
        AddressList.parse($0, fallback: fallback).filter { !$0.isEmptyGroup }.map {
          [$0.name, $0.address]
        }
      }
        ?? []
    }
    subject = value(.subject).map { HeaderText.decode($0, fallback: fallback) }
    date = value(.date).flatMap { MailDate.parse($0)?.seconds }
    messageID = value(.messageID).flatMap { MessageIDs.messageID($0) }
    (from, to, cc) = (people(.from), people(.to), people(.cc))
  }
}

extension OurReading.Part {
  init(_ part: MessagePart, in bytes: UnsafeRawBufferPointer) {
    type = part.type.name
    parent = part.parent
    section = part.section
    disposition = part.disposition.map { "\($0)" }
    file = part.fileName
    content = []
    text = ""
    guard !part.hasChildren else { return }
    TransferDecoder.decode(
      UnsafeRawBufferPointer(rebasing: bytes[part.body]), part.encoding, into: &content)
    guard part.type.media == "text" else { return }
    var decoded: [UInt8] = []
    content.withUnsafeBytes {
      _ = Charset.appendUTF8($0, label: part.type.charset, into: &decoded)
    }
    text = String(decoding: decoded.withoutCarriageReturns, as: UTF8.self)
  }
}

extension [UInt8] {
  /// CRLF as LF.
  var withoutCarriageReturns: [UInt8] {
    indices.filter { self[$0] != 13 || $0 + 1 >= count || self[$0 + 1] != 10 }.map { self[$0] }
  }
}

extension MailAddress {
  /// `undisclosed-recipients:;`, for which Python has no entry.
  fileprivate var isEmptyGroup: Bool { address.isEmpty && name.isEmpty && group != nil }
}
