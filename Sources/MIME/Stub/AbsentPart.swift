import MailCore

/// A part of a message that stays on the server: what stands in its place in the file, and what that tells of it.
///
/// In its place stands a text that every reader shows. The part's own header is kept in it, each field under another name,
/// so that the file alone tells name, type and size.
package struct AbsentPart {
  /// The part as its own header describes it.
  package let info: AttachmentInfo
  /// Whether people would call it an attachment.
  package let isAttachment: Bool
  package let type: ContentType
  private let encoding: TransferEncoding
  /// Bytes of it as the message transfers them.
  package let octets: Int64
  package var isBase64: Bool { encoding == .base64 }
  /// Gets the whole message.
  package let command: String

  static let sizeField = Array("X-Mirror-Part: size=".utf8)
  private static let prefix = Array("X-Mirror-Was-".utf8)
  static let beginning = "Not here: "
  private static let remedy = "). Get it with: "
  private static let verb = "mirror fill "

  // MARK: Writing

  /// The header and the text that stand in the part's place, with CRLF line ends, without one at the end.
  ///
  /// - Parameters:
  ///   - header: the part's own, as the server sent it.
  ///   - octets: of the part, encoded.
  ///   - messageID: of the message, without angle brackets.
  package static func bytes(header: [UInt8], octets: Int64, messageID: String?) -> [UInt8] {
    let part = header.withUnsafeBytes { MessageStructure.parse($0).parts[0] }
    let name = part.fileName.map(readable) ?? ""
    var bytes = Array(fields(of: name).joined(separator: "\r\n").utf8) + lineEnd
    bytes += sizeField + Array(String(octets).utf8) + lineEnd
    bytes += renamed(header)
    bytes += lineEnd
    let size = Quantities.bytes(decodedSize(octets, part.encoding))
    let what = name.isEmpty ? nameless : name
    bytes += Array(
      "\(beginning)\(what) (\(part.type.name), \(size)\(remedy)\(command(messageID: messageID))"
        .utf8)
    return bytes
  }

  private static let lineEnd: [UInt8] = [13, 10]
  private static let nameless = "a part without a name"

  /// The header of what stands in the place of a part with this name, but for the fields with names of ours.
  private static func fields(of name: String) -> [String] {
    [
      "Content-Type: text/plain; charset=utf-8", disposition(of: name),
      "Content-Transfer-Encoding: 8bit",
    ]
  }

  /// Gets the parts of the message with this Message-ID.
  package static func command(messageID: String?) -> String { verb + query(messageID) }

  /// Whether such a command is about no other message.
  static func isNamed(messageID: String?) -> Bool { query(messageID) != everyStub }

  private static let everyStub = "is:stub"

  /// A query that a shell takes as it stands, whatever a sender wrote into the Message-ID.
  private static func query(_ messageID: String?) -> String {
    guard let id = messageID, !id.isEmpty, id.utf8.count <= 200,
      id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "'") })
    else { return everyStub }
    return id.utf8.allSatisfy { isPlain($0) } ? "id:" + id : "'id:" + id + "'"
  }

  /// Whether a shell takes it as it stands.
  static func isPlain(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || plain.contains(byte)
  }

  private static let plain = Array(".@_-+=%/".utf8)

  private static func readable(_ name: String) -> String {
    let shown = name.unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\"" || scalar == "\\"
        || scalar == "/" || scalar.properties.generalCategory == .format
        || scalar.properties.generalCategory == .control ? "_" : Character(scalar)
    }
    return String(shown.prefix(100))
  }

  /// Inline, so that every reader shows the text; with a name, so that they list it.
  private static func disposition(of name: String) -> String {
    let file = (name.isEmpty ? "part" : name) + " (not here).txt"
    if file.utf8.allSatisfy({ $0 < 0x80 }) {
      return "Content-Disposition: inline; filename=\"\(file)\""
    }
    let coded = file.utf8.map { byte in
      ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "-")
        ? String(UnicodeScalar(byte)) : "%" + hex(byte)
    }
    return "Content-Disposition: inline;\r\n filename*=utf-8''" + coded.joined()
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  /// The header's fields, each with another name, folded as they were.
  private static func renamed(_ header: [UInt8]) -> [UInt8] {
    header.withUnsafeBytes { bytes in
      let fields = HeaderFields(bytes, in: 0..<bytes.count)
      var result: [UInt8] = []
      for field in fields.fields {
        result += prefix
        result += bytes[field.name]
        result += [ASCII.colon, ASCII.space]
        var isFirst = true
        for line in bytes[field.value].split(separator: ASCII.lf) {
          if !isFirst { result.append(ASCII.tab) }
          isFirst = false
          result += line.filter { $0 != ASCII.cr }.drop { ASCII.isBlank($0) }
          result += lineEnd
        }
        if isFirst { result += lineEnd }
      }
      return result
    }
  }

  // MARK: Reading

  /// - Parameters:
  ///   - part: one that the file says is not here.
  ///   - parent: the part around it.
  package init?(_ part: MessagePart, below parent: MessagePart?, in bytes: UnsafeRawBufferPointer) {
    let header = bytes.slice(part.header)
    guard let octets = Self.octets(header) else { return nil }
    self.octets = octets
    let own = Self.restored(header)
    let whole = own.withUnsafeBytes { MessageStructure.parse($0).parts[0] }
    let described = MessagePart(
      parent: part.parent, section: part.section, depth: part.depth, header: part.header,
      body: part.body, type: whole.type, encoding: whole.encoding,
      disposition: whole.disposition, fileName: whole.fileName, contentID: whole.contentID,
      hasChildren: whole.type.isMessage, isAttachment: false)
    info = AttachmentInfo(
      section: part.section, fileName: whole.fileName, mediaType: whole.type.name,
      size: Int(clamping: Self.decodedSize(octets, whole.encoding)),
      disposition: whole.disposition, contentID: whole.contentID, isHere: false)
    type = whole.type
    encoding = whole.encoding
    command = EnclosedStub.command(ofHeader: bytes)
    isAttachment = AttachmentRule.applies(to: described, below: parent)
  }

  /// Whether a file lacks parts of its message.
  package static func areMissing(in bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.starts(with: EnclosedStub.line)
  }

  /// A message's file without our first line: that of a stub, or the one that says that a message which begins like one is
  /// none.
  package static func withoutOwnLine(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let end = bytes.lineEnd(from: 0, to: bytes.count)
    let line = bytes.slice(bytes.trimmed(0..<end))
    guard line.starts(with: EnclosedStub.line) || line.elementsEqual(EnclosedStub.guardLine) else {
      return bytes
    }
    return bytes.slice(min(end + 1, bytes.count)..<bytes.count)
  }

  /// A part of a stub that is not here, by its section; nil where it is.
  package static func find(
    _ section: String, in bytes: UnsafeRawBufferPointer, _ structure: MessageStructure
  ) -> AbsentPart? {
    guard bytes.starts(with: EnclosedStub.line),
      let part = structure.parts.first(where: { $0.section == section })
    else { return nil }
    return AbsentPart(part, below: structure.parent(of: part), in: bytes)
  }

  /// The message that is not here in which a section lies, and what that is called in it; nil where it lies in none.
  package static func enclosing(
    _ section: String, in bytes: UnsafeRawBufferPointer, _ structure: MessageStructure
  ) -> (message: AbsentPart, inner: String)? {
    let steps = section.split(separator: ".", omittingEmptySubsequences: false)
    for count in stride(from: steps.count - 1, to: 0, by: -1) {
      let outer = steps[..<count].joined(separator: ".")
      guard let part = find(outer, in: bytes, structure) else { continue }
      let inner = steps[count...].joined(separator: ".")
      // A multipart that is a message has no number.
      return part.type.isMessage ? (part, inner == "TEXT" ? "" : inner) : nil
    }
    return nil
  }

  /// The command that gets a section of a stub which is here in part only: a multipart with an absent part, or something
  /// in a message that is absent. Nil for what is here.
  package static func command(
    forPartsOf section: String, in bytes: UnsafeRawBufferPointer, _ structure: MessageStructure
  ) -> String? {
    guard bytes.starts(with: EnclosedStub.line) else { return nil }
    let meant = section.prefix { $0 != ":" } + "."
    let isInPart = structure.parts.contains { part in
      let own = part.section + "."
      // A multipart that is the message has no number.
      let isRelated = section.isEmpty || own.hasPrefix(meant) || meant.hasPrefix(own)
      return isRelated && part.parent != nil && octets(bytes.slice(part.header)) != nil
    }
    return isInPart ? EnclosedStub.command(ofHeader: bytes) : nil
  }

  /// Appends what the part's bytes, as the message transfers them, decode to.
  package func decode(_ bytes: UnsafeRawBufferPointer, into content: inout [UInt8]) {
    TransferDecoder.decode(bytes, encoding, into: &content)
  }

  static func octets(_ header: UnsafeRawBufferPointer) -> Int64? {
    for line in header.split(separator: ASCII.lf) where line.starts(with: sizeField) {
      let digits = line.dropFirst(sizeField.count).prefix { ASCII.isDigit($0) }
      return Int64(String(decoding: Array(digits), as: UTF8.self))
    }
    return nil
  }

  /// Bytes of a part that is not here, where the text in its place is as it was written; else nil.
  package static func writtenOctets(of part: MessagePart, in message: UnsafeRawBufferPointer)
    -> Int64?
  {
    let fields = HeaderFields(message, in: 0..<message.count)
    let id = fields.first(.messageID).flatMap { MessageIDs.messageID(message.slice($0)) }
    let header = message.slice(part.header)
    let text = message.slice(part.body)
    guard announcedOctets(header: header, text: text, messageID: id) != nil else { return nil }
    return octets(header)
  }

  /// Bytes of the part, as the text in its place tells them, where a program took all fields with names of ours away.
  ///
  /// Header and text must be as they are written, to the byte, and name the message itself: no text that quotes one, and
  /// no message to which such a part was added, is taken for it.
  ///
  /// - Parameter messageID: of the message that has the part, without angle brackets.
  static func announcedOctets(
    header: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer, messageID: String?
  ) -> ClosedRange<Int64>? {
    let text = lines(of: text)
    let end = remedy + command(messageID: messageID)
    guard text.count == 1, let line = text.first, line.hasPrefix(beginning), line.hasSuffix(end)
    else { return nil }
    let what = line.dropFirst(beginning.count).dropLast(end.count)
    guard let open = what.ranges(of: " (").last, let comma = what.ranges(of: ", ").last,
      open.upperBound <= comma.lowerBound,
      let size = Quantities.bounds(ofBytes: String(what[comma.upperBound...]))
    else { return nil }
    let name = String(what[..<open.lowerBound])
    let written = fields(of: name == nameless ? "" : name).flatMap { field in
      field.split(separator: "\r\n" as Character).map(String.init)
    }
    guard written == withoutFieldsOfOurs(lines(of: header)) else { return nil }
    // Base64 has more, by a third and the line ends.
    return size.lowerBound...(size.upperBound + size.upperBound / 2)
  }

  private static func withoutFieldsOfOurs(_ lines: [String]) -> [String] {
    var isOurs = false
    return lines.filter { line in
      if line.first != " ", line.first != "\t" {
        isOurs = line.prefix(9).lowercased() == "x-mirror-"
      }
      return !isOurs
    }
  }

  /// Without empty ones.
  private static func lines(of bytes: UnsafeRawBufferPointer) -> [String] {
    bytes.split(separator: ASCII.lf).map { line in
      String(decoding: line.last == ASCII.cr ? line.dropLast() : line, as: UTF8.self)
    }.filter { !$0.isEmpty }
  }

  /// The part's own header.
  private static func restored(_ header: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    var isOwn = false
    for line in header.split(separator: ASCII.lf, omittingEmptySubsequences: false) {
      let isFolded = line.first.map { $0 == ASCII.space || $0 == ASCII.tab } ?? false
      if !isFolded { isOwn = line.starts(with: prefix) }
      guard isOwn else { continue }
      result += isFolded ? line : line.dropFirst(prefix.count)
      result.append(ASCII.lf)
    }
    result.append(ASCII.lf)
    return result
  }

  /// About so many bytes, decoded: lines of base64 have 76 characters and a line end.
  private static func decodedSize(_ octets: Int64, _ encoding: TransferEncoding) -> Int64 {
    encoding == .base64 ? octets / 78 * 57 + octets % 78 * 3 / 4 : octets
  }
}
