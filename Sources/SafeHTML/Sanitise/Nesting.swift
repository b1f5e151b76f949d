import CGumbo

/// What an element does to others that are open when a parser meets its tag (HTML Standard §13.2.6.4.7), of those that
/// are written.
enum Nesting: UInt8, Sendable {
  case inline
  /// Ends an open paragraph; what list item or description is open outside of it does not count within.
  case block
  /// Ends an open paragraph; an item of a list that is open outside ends at one within.
  case division
  case paragraph, item, description
  /// Whatever is open outside does not count within.
  case cell
  /// Its parts end more than is worth telling.
  case ruby

  static func of(_ tag: GumboTag) -> Nesting {
    switch tag {
    case GUMBO_TAG_P: .paragraph
    case GUMBO_TAG_LI: .item
    case GUMBO_TAG_DD, GUMBO_TAG_DT: .description
    case GUMBO_TAG_DIV, GUMBO_TAG_ADDRESS: .division
    case GUMBO_TAG_TD, GUMBO_TAG_TH, GUMBO_TAG_CAPTION: .cell
    case GUMBO_TAG_RUBY, GUMBO_TAG_RP, GUMBO_TAG_RT: .ruby
    case _ where blocks.contains(tag.rawValue): .block
    default: .inline
    }
  }

  private static let blocks = Set(
    [
      GUMBO_TAG_ARTICLE, GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_CENTER, GUMBO_TAG_DETAILS, GUMBO_TAG_DL,
      GUMBO_TAG_FIGCAPTION, GUMBO_TAG_FIGURE, GUMBO_TAG_FOOTER, GUMBO_TAG_H1, GUMBO_TAG_H2,
      GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5, GUMBO_TAG_H6, GUMBO_TAG_HEADER, GUMBO_TAG_HR,
      GUMBO_TAG_MAIN, GUMBO_TAG_NAV, GUMBO_TAG_OL, GUMBO_TAG_PRE, GUMBO_TAG_SECTION,
      GUMBO_TAG_SUMMARY, GUMBO_TAG_TABLE, GUMBO_TAG_UL,
    ].map(\.rawValue))
}

/// What is open where an element is written, as far as another one's tag would end it.
struct OpenElements {
  private var paragraph = false
  private var item = false
  private var description = false

  /// - Returns: whether a parser would find the element just here, and no other one ended.
  mutating func enter(_ nesting: Nesting) -> Bool {
    let isSound =
      switch nesting {
      case .inline, .cell: true
      case .ruby: false
      case .block, .division, .paragraph: !paragraph
      case .item: !paragraph && !item
      case .description: !paragraph && !description
      }
    switch nesting {
    case .inline, .division, .ruby: break
    case .paragraph: paragraph = true
    case .block, .item, .description, .cell:
      item = nesting == .item
      description = nesting == .description
      if nesting == .cell { paragraph = false }
    }
    return isSound
  }
}
