/// Names of the attributes that are looked at.
enum HTMLAttributeName {
  static let style = NameHash.of("style".utf8)
  static let hidden = NameHash.of("hidden".utf8)
  static let href = NameHash.of("href".utf8)
  static let alt = NameHash.of("alt".utf8)
}
