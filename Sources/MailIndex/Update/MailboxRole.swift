import MailCore

/// What a folder is for: as the server says it (RFC 6154), else as clients name such folders.
enum MailboxRole {
  /// `inbox`, `sent`, `drafts`, `trash`, `junk`, `archive`; nil for any other name.
  ///
  /// - Parameter name: as people see it. Only names at the top, or right below INBOX or Gmail's folder, tell a role.
  static func named(_ name: String) -> String? {
    let folded = Keywords.fold(name)
    if folded == "inbox" { return "inbox" }
    var levels = folded.split(separator: "/")
    if levels.count == 2, ["inbox", "[gmail]", "[google mail]"].contains(levels[0]) {
      levels.removeFirst()
    }
    guard levels.count == 1 else { return nil }
    let last = String(levels[0])
    return SentFolder.isOne(last) ? SpecialUse.sent.rawValue : names[last]
  }

  private static let names: [String: String] = {
    var roles: [String: String] = [:]
    for (use, names) in namesByUse {
      for name in names { roles[name] = use.rawValue }
    }
    return roles
  }()

  private static let namesByUse: [SpecialUse: [String]] = [
    .trash: [
      "trash", "deleted items", "deleted messages", "deleted", "bin", "papierkorb",
      "gelöschte elemente", "gelöschte objekte", "corbeille", "éléments supprimés", "papelera",
      "elementos eliminados", "lixeira", "cestino", "posta eliminata", "prullenbak", "kosz",
      "papperskorgen", "papirkurv", "roskakori", "корзина", "удаленные", "кошик", "已删除邮件", "ゴミ箱",
      "휴지통",
    ],
    .drafts: [
      "drafts", "draft", "entwürfe", "brouillons", "borradores", "rascunhos", "bozze", "concepten",
      "wersje robocze", "utkast", "kladder", "luonnokset", "черновики", "чернетки", "草稿", "草稿箱",
      "下書き", "임시보관함",
    ],
    .junk: [
      "junk", "junk e-mail", "junk email", "junk mail", "spam", "spamverdacht", "werbung",
      "courrier indésirable", "indésirables", "correo no deseado", "lixo eletrônico",
      "posta indesiderata", "ongewenst", "ongewenste e-mail", "skräppost", "roskaposti", "спам",
      "垃圾邮件", "迷惑メール", "스팸",
    ],
    .archive: [
      "archive", "archives", "archiv", "archivo", "archivio", "archief", "arkiv", "архив",
    ],
  ]
}

/// What the servers of a tree's accounts say that folders are for.
package struct ToldRoles: Sendable {
  /// By account; by the folder's path below the root.
  private var uses: [String: [String: SpecialUse]] = [:]

  package init() {}

  /// Where a server shows no special-use attributes at all, the names of the folders decide.
  package mutating func tell(_ account: String, _ uses: [String: SpecialUse]) {
    if !uses.isEmpty { self.uses[account] = uses }
  }

  /// Outer nil: the account's server says nothing. What it does say holds, whatever the other folders are called; the
  /// inbox is known by its name.
  func role(of path: String, named name: String, account: String) -> String?? {
    guard let told = uses[account] else { return nil }
    if let use = told[path] { return .some(use.rawValue) }
    let byName = MailboxRole.named(name)
    return .some(byName == "inbox" ? byName : nil)
  }
}
