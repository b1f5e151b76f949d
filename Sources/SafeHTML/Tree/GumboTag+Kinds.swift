import CGumbo

extension GumboTag {
  var isHeading: Bool {
    self == GUMBO_TAG_H1 || self == GUMBO_TAG_H2 || self == GUMBO_TAG_H3 || self == GUMBO_TAG_H4
      || self == GUMBO_TAG_H5 || self == GUMBO_TAG_H6
  }

  /// Whether only parts of a table may stand in it.
  var isTableFrame: Bool {
    self == GUMBO_TAG_TABLE || self == GUMBO_TAG_TBODY || self == GUMBO_TAG_THEAD
      || self == GUMBO_TAG_TFOOT || self == GUMBO_TAG_TR || self == GUMBO_TAG_COLGROUP
  }

  var isCell: Bool {
    self == GUMBO_TAG_TD || self == GUMBO_TAG_TH || self == GUMBO_TAG_CAPTION
  }

  /// Whether browsers have a place of their own for it, beside or above the text around it.
  var isArranged: Bool { self == GUMBO_TAG_BDI || self == GUMBO_TAG_BDO || isRuby }

  var isRuby: Bool { self == GUMBO_TAG_RUBY || self == GUMBO_TAG_RT }

  var isTablePart: Bool { isTableFrame || isCell || self == GUMBO_TAG_COL }
}
