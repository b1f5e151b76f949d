/// The `sync` table: what is mirrored, and how it lies on disk (DESIGN sections 3 and 10).
package struct SyncSettings: Sendable, Equatable {
  package var folders = FolderPatterns.everything
  package var window = Window.all
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
package enum Window: Sendable, Equatable {
  case all
  /// The last so many days, by internal date; at least 1.
  case days(Int)
  /// The newest so many bytes of the account; at least 1.
  case bytes(Int64)
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
