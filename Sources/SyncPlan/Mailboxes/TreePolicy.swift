import MailCore
import Maildir
import Settings

extension MaildirPolicy {
  /// The settings in the tree's terms.
  package init(_ settings: SyncSettings) {
    let keywords: KeywordsStore =
      switch settings.keywords {
      case .header: .header(KeywordsLine(name: settings.keywordsHeader) ?? .xKeywords)
      case .dovecot: .dovecot
      case .none: .none
      }
    self.init(
      lineEndings: settings.lineEndings == .crlf ? .crlf : .lf, keywords: keywords,
      separator: InfoSeparator(settings.separator) ?? .colon, fsync: settings.fsync,
      layout: settings.layout == .nested ? .nested : .maildirPlusPlus)
  }

  /// The marks that this tree keeps.
  package func kept(_ marks: MessageMarks) -> MessageMarks {
    keywords.keeps ? marks : MessageMarks(flags: marks.flags)
  }
}

extension KeywordsStore {
  /// Whether this tree keeps keywords at all.
  package var keeps: Bool {
    if case .none = self { return false }
    return true
  }
}
