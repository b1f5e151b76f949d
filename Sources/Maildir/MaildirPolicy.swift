import MailCore

/// Where keywords are kept (the key `keywords`).
package enum KeywordsStore: Sendable, Hashable {
  /// In the line at the top of the message file.
  case header(KeywordsLine)
  /// As letters a–z in the file name, spelled out in the folder's `dovecot-keywords`.
  case dovecot
  /// Nowhere: keywords of the server are not mirrored.
  case none

  package var line: KeywordsLine? {
    if case .header(let line) = self { line } else { nil }
  }
}

/// How folders map to directories (the key `layout`).
package enum LayoutStyle: String, CaseIterable, Sendable, Hashable {
  case nested
  case maildirPlusPlus = "maildir++"
}

/// The choices of one account's configuration that shape its tree.
package struct MaildirPolicy: Sendable, Hashable {
  package var lineEndings: LineEndings
  package var keywords: KeywordsStore
  package var separator: InfoSeparator
  /// False trades safety against power cuts for speed: nothing is synced.
  package var fsync: Bool
  package var layout: LayoutStyle

  package init(
    lineEndings: LineEndings = .lf, keywords: KeywordsStore = .header(.xKeywords),
    separator: InfoSeparator = .colon, fsync: Bool = true, layout: LayoutStyle = .nested
  ) {
    self.lineEndings = lineEndings
    self.keywords = keywords
    self.separator = separator
    self.fsync = fsync
    self.layout = layout
  }

  /// The header that the hashes leave out besides the well-known ones.
  var labelName: String? { keywords.line?.name }
}
