/// The header fields that somebody here asks for; all others are `other`.
package enum FieldKind: UInt8, Sendable, Hashable, CaseIterable {
  case other
  case from, sender, replyTo, to, cc, bcc
  case resentFrom, resentTo, resentCc, resentDate
  case subject, date, received, returnPath, deliveredTo
  case messageID, inReplyTo, references
  case mimeVersion, contentType, contentTransferEncoding, contentDisposition, contentID
  case contentDescription, contentLanguage, contentLocation
  case threadIndex, threadTopic
  case listID, listPost, listUnsubscribe
  case keywords, xKeywords, xLabel
  case status, xStatus, contentLength, lines
  case autoSubmitted, precedence, importance, xPriority, userAgent, xMailer
}

extension FieldKind {
  /// The kind of a field by its name in any case.
  package static func of(_ name: UnsafeRawBufferPointer) -> FieldKind {
    guard let first = name.first else { return .other }
    switch (name.count, ASCII.lowered(first)) {
    case (2, UInt8(ascii: "c")):
      return matches(name, "cc") ? .cc : .other
    case (2, UInt8(ascii: "t")):
      return matches(name, "to") ? .to : .other
    case (3, UInt8(ascii: "b")):
      return matches(name, "bcc") ? .bcc : .other
    case (4, UInt8(ascii: "d")):
      return matches(name, "date") ? .date : .other
    case (4, UInt8(ascii: "f")):
      return matches(name, "from") ? .from : .other
    case (5, UInt8(ascii: "l")):
      return matches(name, "lines") ? .lines : .other
    case (6, UInt8(ascii: "s")):
      if matches(name, "sender") { return .sender }
      if matches(name, "status") { return .status }
      return .other
    case (7, UInt8(ascii: "l")):
      return matches(name, "list-id") ? .listID : .other
    case (7, UInt8(ascii: "s")):
      return matches(name, "subject") ? .subject : .other
    case (7, UInt8(ascii: "x")):
      return matches(name, "x-label") ? .xLabel : .other
    case (8, UInt8(ascii: "k")):
      return matches(name, "keywords") ? .keywords : .other
    case (8, UInt8(ascii: "r")):
      if matches(name, "reply-to") { return .replyTo }
      if matches(name, "received") { return .received }
      return .other
    case (8, UInt8(ascii: "x")):
      if matches(name, "x-status") { return .xStatus }
      if matches(name, "x-mailer") { return .xMailer }
      return .other
    case (9, UInt8(ascii: "l")):
      return matches(name, "list-post") ? .listPost : .other
    case (9, UInt8(ascii: "r")):
      if matches(name, "resent-to") { return .resentTo }
      if matches(name, "resent-cc") { return .resentCc }
      return .other
    case (10, UInt8(ascii: "c")):
      return matches(name, "content-id") ? .contentID : .other
    case (10, UInt8(ascii: "i")):
      return matches(name, "importance") ? .importance : .other
    case (10, UInt8(ascii: "m")):
      return matches(name, "message-id") ? .messageID : .other
    case (10, UInt8(ascii: "p")):
      return matches(name, "precedence") ? .precedence : .other
    case (10, UInt8(ascii: "r")):
      return matches(name, "references") ? .references : .other
    case (10, UInt8(ascii: "u")):
      return matches(name, "user-agent") ? .userAgent : .other
    case (10, UInt8(ascii: "x")):
      if matches(name, "x-keywords") { return .xKeywords }
      if matches(name, "x-priority") { return .xPriority }
      return .other
    case (11, UInt8(ascii: "i")):
      return matches(name, "in-reply-to") ? .inReplyTo : .other
    case (11, UInt8(ascii: "r")):
      if matches(name, "resent-from") { return .resentFrom }
      if matches(name, "resent-date") { return .resentDate }
      if matches(name, "return-path") { return .returnPath }
      return .other
    case (12, UInt8(ascii: "c")):
      return matches(name, "content-type") ? .contentType : .other
    case (12, UInt8(ascii: "d")):
      return matches(name, "delivered-to") ? .deliveredTo : .other
    case (12, UInt8(ascii: "m")):
      return matches(name, "mime-version") ? .mimeVersion : .other
    case (12, UInt8(ascii: "t")):
      if matches(name, "thread-index") { return .threadIndex }
      if matches(name, "thread-topic") { return .threadTopic }
      return .other
    case (14, UInt8(ascii: "a")):
      return matches(name, "auto-submitted") ? .autoSubmitted : .other
    case (14, UInt8(ascii: "c")):
      return matches(name, "content-length") ? .contentLength : .other
    case (16, UInt8(ascii: "c")):
      if matches(name, "content-language") { return .contentLanguage }
      if matches(name, "content-location") { return .contentLocation }
      return .other
    case (16, UInt8(ascii: "l")):
      return matches(name, "list-unsubscribe") ? .listUnsubscribe : .other
    case (19, UInt8(ascii: "c")):
      if matches(name, "content-disposition") { return .contentDisposition }
      if matches(name, "content-description") { return .contentDescription }
      return .other
    case (25, UInt8(ascii: "c")):
      return matches(name, "content-transfer-encoding") ? .contentTransferEncoding : .other
    default: return .other
    }
  }

  /// `lowered` is as long as the name.
  @inline(__always)
  private static func matches(_ name: UnsafeRawBufferPointer, _ lowered: StaticString) -> Bool {
    let letters = UnsafeBufferPointer(start: lowered.utf8Start, count: lowered.utf8CodeUnitCount)
    for place in 0..<min(name.count, letters.count)
    where ASCII.lowered(name[place]) != letters[place] {
      return false
    }
    return true
  }
}
