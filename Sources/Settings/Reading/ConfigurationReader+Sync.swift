import MailCore

extension ConfigurationReader {
  private static let syncKeys = [
    "folders", "window", "on-demand", "cache", "deletions", "keywords", "keywords-header", "layout",
    "separator",
    "line-endings", "fsync",
  ]

  /// The `sync` table; defaults where it, or a key, is absent.
  func sync(in account: ConfigurationSection) throws(SettingsError) -> SyncSettings {
    var sync = SyncSettings()
    guard let section = try account.section("sync", known: Self.syncKeys) else { return sync }
    if let patterns = try folders(in: section) { sync.folders = patterns }
    if let window = try window(in: section) { sync.window = window }
    sync.onDemand = try size("on-demand", in: section, unlessWord: "never")
    sync.cache = try size("cache", in: section) ?? sync.cache
    if let header = try keywordsHeader(in: section) { sync.keywordsHeader = header }
    if let separator = try separator(in: section) { sync.separator = separator }
    sync.deletions = try section.choice("deletions") ?? sync.deletions
    sync.keywords = try section.choice("keywords") ?? sync.keywords
    sync.layout = try section.choice("layout") ?? sync.layout
    sync.lineEndings = try section.choice("line-endings") ?? sync.lineEndings
    sync.fsync = try section.boolean("fsync") ?? sync.fsync
    return sync
  }

  private func folders(in section: ConfigurationSection) throws(SettingsError) -> FolderPatterns? {
    guard let texts = try section.strings("folders") else { return nil }
    guard !texts.isEmpty else {
      throw section.bad("folders", "is empty", "Write folders = [\"*\"] for every mailbox.")
    }
    for text in texts where text.isEmpty || text == "!" {
      throw section.bad("folders", "holds an empty pattern", "Remove it.")
    }
    return FolderPatterns(texts)
  }

  private func window(in section: ConfigurationSection) throws(SettingsError) -> Window? {
    guard let text = try section.string("window") else { return nil }
    guard let window = Window(text: text) else {
      throw section.bad(
        "window", "cannot be \"\(text)\"",
        "Write \"all\", days as \"90d\", a size as \"5GB\" (kB, MB, GB, TB), or both as \"90d, 5GB\"."
      )
    }
    return window
  }

  /// Nil where the key is absent, or has this word.
  private func size(
    _ key: String, in section: ConfigurationSection, unlessWord word: String? = nil
  ) throws(SettingsError) -> Int64? {
    guard let text = try section.string(key), text != word else { return nil }
    guard let bytes = Window.bytes(text[...]) else {
      throw section.bad(
        key, "cannot be \"\(text)\"",
        "Write a size as \"1MB\" (kB, MB, GB, TB)\(word.map { ", or \"\($0)\"" } ?? "").")
    }
    return bytes
  }

  /// Only names that no server and no standard gives a meaning: a mistake here must not shadow `Subject`.
  private func keywordsHeader(in section: ConfigurationSection) throws(SettingsError) -> String? {
    guard let name = try section.string("keywords-header") else { return nil }
    let folded = name.lowercased()
    let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
    guard isName, name.utf8.count <= 64, folded == "keywords" || folded.hasPrefix("x-"),
      folded != "x-"
    else {
      throw section.bad(
        "keywords-header", "cannot be \"\(name)\"",
        "Write X-Keywords, X-Label, Keywords, or another name that begins with X-.")
    }
    return name
  }

  private func separator(in section: ConfigurationSection) throws(SettingsError) -> Character? {
    guard let text = try section.string("separator") else { return nil }
    guard text.count == 1, let character = text.first, ":;!".contains(character) else {
      throw section.bad("separator", "cannot be \"\(text)\"", "One of \":\", \";\", \"!\".")
    }
    return character
  }
}
