import MailCore

extension Keywords {
  /// The keywords in the value of a label header (`X-Keywords`, `X-Label`, `Keywords`), folded or
  /// not.
  package init(headerValue: UnsafeRawBufferPointer) {
    self = KeywordText.list(headerValue)
  }
}
