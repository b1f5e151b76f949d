import CGumbo

/// By what mail programs mark that they quote.
enum QuoteMark {
  /// Whether an element holds a quotation and nothing else. What was forwarded is no quotation.
  static func isQuote(_ element: PageElement) -> Bool {
    if element.tag == GUMBO_TAG_BLOCKQUOTE {
      if element.attribute("type")?.equals("cite") ?? false { return true }
      return hasClass(element, "gmail_quote")
    }
    guard element.tag == GUMBO_TAG_DIV else { return false }
    guard hasClass(element, "gmail_quote") || hasClass(element, "yahoo_quoted") else {
      return false
    }
    return !isForward(element)
  }

  /// Whether an element is the mark after which everything is quoted: Outlook's.
  static func opensRest(_ element: PageElement) -> Bool {
    guard element.tag == GUMBO_TAG_DIV, let id = element.attribute("id") else { return false }
    return id.equals("divrplyfwdmsg") || id.equals("appendonsend")
      || id.equals("mail-editor-reference-message-container")
  }

  static func hasClass(_ element: PageElement, _ name: StaticString) -> Bool {
    guard let value = element.attribute("class"), value.count <= 200 else { return false }
    return value.split(whereSeparator: ASCII.isBlank).contains {
      PageBytes(rebasing: $0).equals(name)
    }
  }

  private static func isForward(_ element: PageElement) -> Bool {
    PageWords.all(in: element, limit: 60).hasPrefix("----")
  }
}
