/// The text of one part as UTF-8.
enum PartText {
  /// What is known of a text beside its words.
  struct Outcome {
    var html = HTMLText()
    /// The part has more text than was appended.
    var isCut = false
  }

  /// Appends the text of a part, at most about `limits.text` bytes; returns what is known of its links and quotations.
  @discardableResult
  static func append(
    _ part: MessagePart, _ role: TextSelection.Role, style: HTMLText.Style = .index,
    firstLink: Int = 1, renderer: HTMLText.Renderer? = nil,
    in bytes: UnsafeRawBufferPointer, limits: TextLimits, into text: inout [UInt8]
  ) -> Outcome {
    let body = bytes.slice(part.body)
    guard
      part.encoding == .base64 || part.encoding == .quotedPrintable || part.encoding == .uuencode
    else {
      return append(
        body, of: part, role, style: style, firstLink: firstLink, renderer: renderer,
        limits: limits, into: &text)
    }
    var decoded: [UInt8] = []
    TransferDecoder.decode(body, part.encoding, into: &decoded, limit: limits.markup + 1)
    return decoded.withUnsafeBytes {
      append(
        $0, of: part, role, style: style, firstLink: firstLink, renderer: renderer, limits: limits,
        into: &text)
    }
  }

  /// Hands a part over as the page that a reader of HTML gets, in UTF-8; does nothing where it is none.
  static func page(
    _ part: MessagePart, _ role: TextSelection.Role, in bytes: UnsafeRawBufferPointer,
    limits: TextLimits, _ body: @escaping (UnsafeRawBufferPointer) -> Void
  ) {
    switch role {
    case .none, .calendar: return
    case .html, .enriched: break
    case .plain: guard beginsAsHTML(part, in: bytes) else { return }
    }
    var text: [UInt8] = []
    append(
      part, role, style: .show,
      renderer: { html, _, _, _ in
        body(html)
        return HTMLText()
      }, in: bytes, limits: limits, into: &text)
  }

  /// Of what is called plain, by its first bytes.
  private static func beginsAsHTML(_ part: MessagePart, in bytes: UnsafeRawBufferPointer) -> Bool {
    var head: [UInt8] = []
    TransferDecoder.decode(bytes.slice(part.body), part.encoding, into: &head, limit: 1 << 10)
    return head.withUnsafeBytes(looksLikeHTML)
  }

  private static func append(
    _ decoded: UnsafeRawBufferPointer, of part: MessagePart, _ role: TextSelection.Role,
    style: HTMLText.Style, firstLink: Int, renderer: HTMLText.Renderer?, limits: TextLimits,
    into text: inout [UInt8]
  ) -> Outcome {
    switch role {
    case .none: break
    case .plain:
      guard looksLikeHTML(decoded) else {
        appendPlain(
          UnsafeRawBufferPointer(rebasing: decoded.prefix(limits.text)), part, into: &text)
        return Outcome(isCut: decoded.count > limits.text)
      }
      return appendHTML(
        decoded, part, style: style, firstLink: firstLink, renderer: renderer, limits: limits,
        into: &text)
    case .html:
      return appendHTML(
        decoded, part, style: style, firstLink: firstLink, renderer: renderer, limits: limits,
        into: &text)
    case .enriched:
      return appendHTML(
        decoded, part, style: style, firstLink: firstLink, renderer: renderer, limits: limits,
        into: &text)
    case .calendar:
      var calendar: [UInt8] = []
      let capped = UnsafeRawBufferPointer(rebasing: decoded.prefix(limits.text))
      Charset.appendUTF8(capped, label: part.type.charset ?? "utf-8", into: &calendar)
      calendar.withUnsafeBytes { CalendarText.append($0, into: &text) }
      return Outcome(isCut: decoded.count > limits.text)
    }
    return Outcome()
  }

  private static func appendPlain(
    _ decoded: UnsafeRawBufferPointer, _ part: MessagePart, into text: inout [UInt8]
  ) {
    guard part.type.parameter("format")?.lowercased() == "flowed" else {
      Charset.appendUTF8(decoded, label: part.type.charset, into: &text)
      return
    }
    var lines: [UInt8] = []
    lines.reserveCapacity(decoded.count)
    Charset.appendUTF8(decoded, label: part.type.charset, into: &lines)
    let deletesSpaces = part.type.parameter("delsp")?.lowercased() == "yes"
    lines.withUnsafeBytes { FlowedText.append($0, deletesSpaces: deletesSpaces, into: &text) }
  }

  private static func appendHTML(
    _ decoded: UnsafeRawBufferPointer, _ part: MessagePart, style: HTMLText.Style,
    firstLink: Int, renderer: HTMLText.Renderer?, limits: TextLimits, into text: inout [UInt8]
  ) -> Outcome {
    func read(_ html: UnsafeRawBufferPointer) -> HTMLText {
      renderer?(html, firstLink, limits.text, &text)
        ?? HTMLText.append(
          html, style: style, firstLink: firstLink, limit: limits.text, into: &text)
    }
    let capped = UnsafeRawBufferPointer(rebasing: decoded.prefix(limits.markup))
    let html = asUTF8(capped, charset: part.type.charset, read)
    // The reader ends where it has as much as it may.
    return Outcome(html: html, isCut: decoded.count > capped.count || text.count >= limits.text)
  }

  /// Hands markup over as UTF-8.
  private static func asUTF8(
    _ capped: UnsafeRawBufferPointer, charset label: String?,
    _ read: (UnsafeRawBufferPointer) -> HTMLText
  ) -> HTMLText {
    // Most HTML needs no conversion, and then no copy.
    if UTF8Scan.validEnd(capped) == capped.count, isUTF8(label) {
      return read(capped)
    }
    let named = label.flatMap { Charset(label: $0) } ?? HTMLText.declaredCharset(capped)
    var html: [UInt8] = []
    html.reserveCapacity(capped.count)
    Charset.appendUTF8(capped, charset: named, into: &html)
    return html.withUnsafeBytes { read($0) }
  }

  /// Whether well-formed UTF-8 under this label is what it seems.
  private static func isUTF8(_ label: String?) -> Bool {
    guard let label, let charset = Charset(label: label) else { return false }
    return charset == .utf8 || charset.coding == .windows1252
  }

  /// Whether what is called plain begins as an HTML document.
  private static func looksLikeHTML(_ text: UnsafeRawBufferPointer) -> Bool {
    var start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < text.count, text[start] <= ASCII.space { start += 1 }
    guard start < text.count, text[start] == ASCII.less else { return false }
    return text.hasPrefix("<!doctype html", at: start, to: text.count)
      || text.hasPrefix("<html", at: start, to: text.count)
  }
}
