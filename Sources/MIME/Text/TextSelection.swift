/// Which parts of a message are its text.
///
/// - Of a multipart/alternative one child counts: the plain one if it has real text, else the HTML one (`StubText`), or
///   the reverse where HTML is preferred; else the last that has any text.
/// - text/html, text/plain and other text but style sheets, scripts, RTF and vCards; reports
///   (message/delivery-status and its like); invitations as `CalendarText` has them.
/// - A text that is an attachment counts for the index while it is small; a file `*.txt`, `*.patch`, `*.diff` or `*.log`
///   sent as application/octet-stream too.
/// - A text that has a file name but was not sent as an attachment is shown, such as a patch or a page.
struct TextSelection {
  enum Purpose { case index, show }

  enum Role { case none, plain, html, enriched, calendar }

  private(set) var roles: [Role]
  private let structure: MessageStructure
  private let bytes: UnsafeRawBufferPointer
  private let limits: TextLimits
  private let purpose: Purpose

  init(
    _ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, prefersHTML: Bool = false,
    for purpose: Purpose, limits: TextLimits
  ) {
    self.purpose = purpose
    self.bytes = bytes
    self.structure = structure
    self.limits = limits
    roles = structure.parts.map {
      Self.role($0, for: purpose, limits: limits)
    }
    // Outer ones first: what they leave out stays out.
    for index in structure.parts.indices
    where structure.parts[index].type.is("multipart", "alternative") {
      chooseAlternative(of: index, prefersHTML: prefersHTML)
    }
  }

  private static func role(_ part: MessagePart, for purpose: Purpose, limits: TextLimits) -> Role {
    guard !part.hasChildren, !part.type.isMultipart else { return .none }
    if part.isAttachment {
      switch purpose {
      case .index: guard part.body.count <= limits.attachedText else { return .none }
      case .show: guard isNamedText(part, limits: limits) else { return .none }
      }
    }
    switch (part.type.media, part.type.subtype) {
    case ("text", "html"), ("application", "xhtml+xml"): return .html
    case ("text", "calendar"): return .calendar
    case ("text", "enriched"), ("text", "richtext"): return .enriched
    case ("text", "css"), ("text", "javascript"), ("text", "rtf"), ("text", "vcard"),
      ("text", "x-vcard"),
      ("text", "x-amp-html"), ("text", "directory"), ("text", "xsl"):
      return .none
    case ("text", _): return .plain
    case ("message", "delivery-status"), ("message", "disposition-notification"),
      ("message", "feedback-report"), ("message", "partial"), ("message", "global-delivery-status"):
      return .plain
    case ("application", "octet-stream"), ("application", "x-patch"), ("application", "mbox"):
      return isTextFile(part.fileName) ? .plain : .none
    default: return .none
    }
  }

  /// An attachment by its name alone (RFC 2183 §2.8 counts unknown dispositions as attachment).
  private static func isNamedText(_ part: MessagePart, limits: TextLimits) -> Bool {
    part.type.media == "text" && (part.disposition ?? .inline) == .inline
      && part.body.count <= limits.text
  }

  /// Whether a part is beside the text, not one of its forms.
  private func standsApart(_ index: Int) -> Bool {
    let part = structure.parts[index]
    guard part.isAttachment else { return false }
    return purpose == .index || !Self.isNamedText(part, limits: limits)
  }

  private static func isTextFile(_ name: String?) -> Bool {
    guard let name else { return false }
    return ["txt", "patch", "diff", "log", "md"].contains(DangerousType.lastExtension(name))
  }

  private mutating func chooseAlternative(of parent: Int, prefersHTML: Bool) {
    var plain: Range<Int>?
    var html: Range<Int>?
    var other: Range<Int>?
    let children = structure.children(of: parent)
    for (place, child) in children.enumerated() {
      let end = place + 1 < children.count ? children[place + 1] : subtreeEnd(parent)
      let range = child..<end
      if has(.html, in: range) {
        html = range
      } else if has(.plain, in: range) {
        plain = plain ?? range
      } else if has(.enriched, in: range) || has(.calendar, in: range) {
        other = range
      }
    }
    let chosen: Range<Int>?
    switch (plain, html) {
    case (nil, nil): chosen = other
    case (let plain?, nil): chosen = plain
    case (nil, let html?): chosen = html
    case (let plain?, let html?):
      chosen = prefersHTML || isStub(plain, beside: html) ? html : plain
    }
    guard let chosen else { return }
    for index in (parent + 1)..<subtreeEnd(parent) where !chosen.contains(index) {
      if !standsApart(index) { roles[index] = .none }
    }
  }

  private func has(_ role: Role, in range: Range<Int>) -> Bool {
    range.contains { roles[$0] == role && !standsApart($0) }
  }

  private func subtreeEnd(_ part: Int) -> Int {
    let parts = structure.parts
    var end = part + 1
    while end < parts.count, parts[end].depth > parts[part].depth { end += 1 }
    return end
  }

  private func isStub(_ plain: Range<Int>, beside html: Range<Int>) -> Bool {
    guard let plainPart = plain.first(where: { roles[$0] == .plain }),
      let htmlPart = html.first(where: { roles[$0] == .html })
    else { return false }
    let part = structure.parts[plainPart]
    guard part.body.count < StubText.longest * 4 else { return false }
    var text: [UInt8] = []
    PartText.append(part, .plain, in: bytes, limits: limits, into: &text)
    return StubText.isStub(text) {
      var text: [UInt8] = []
      PartText.append(structure.parts[htmlPart], .html, in: bytes, limits: limits, into: &text)
      return text.count
    }
  }
}
