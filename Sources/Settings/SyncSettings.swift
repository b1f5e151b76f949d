/// The `sync` table: what is mirrored, and how it lies on disk.
package struct SyncSettings: Sendable, Equatable {
  package var folders = FolderPatterns.everything
  package var window = Window.all
  /// The `on-demand` key: parts of more bytes stay on the server until they are asked for; nil where all come.
  package var onDemand: Int64?
  /// The `cache` key: so many bytes of messages that were filled stay whole.
  package var cache: Int64 = 500_000_000
  package var deletions = DeletionPolicy.trash
  package var keywords = KeywordStorage.header
  /// The field name of the keywords line, without its colon.
  package var keywordsHeader = "X-Keywords"
  package var layout = FolderLayout.nested
  /// Between a file's base name and its flags: `:`, `;` or `!`.
  package var separator: Character = ":"
  package var lineEndings = LineEndings.lf
  /// False trades safety against power cuts for speed.
  package var fsync = true

  package init() {}
}

/// The `window` key: how far back messages are kept here.
/// Both bounds hold where both are set; all mail is kept where neither is.
package struct Window: Sendable, Equatable {
  /// The last so many days, by internal date; at least 1.
  package var days: Int?
  /// The newest so many bytes of the account; at least 1.
  package var bytes: Int64?

  package init(days: Int? = nil, bytes: Int64? = nil) {
    self.days = days
    self.bytes = bytes
  }

  package static let all = Window()
  package static func days(_ days: Int) -> Window { Window(days: days) }
  package static func bytes(_ bytes: Int64) -> Window { Window(bytes: bytes) }
}

/// The `deletions` key: what a file that is gone becomes on the server.
package enum DeletionPolicy: String, CaseIterable, Sendable { case trash, expunge }

/// The `keywords` key: where keywords and labels are kept.
package enum KeywordStorage: String, CaseIterable, Sendable { case header, dovecot, none }

/// The `layout` key.
package enum FolderLayout: String, CaseIterable, Sendable {
  case nested
  case maildirPlusPlus = "maildir++"
}

/// The `line-endings` key.
package enum LineEndings: String, CaseIterable, Sendable { case lf, crlf }
