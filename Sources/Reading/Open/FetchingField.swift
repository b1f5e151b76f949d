/// The fields of a text by which its program fetches something, named by their first word.
enum FetchingField {
  /// In lower case.
  static let names = [
    "dde", "ddeauto", "include", "includepicture", "includetext", "import", "link", "rd",
    "database",
  ]

  /// Those that are no other word's part, wherever they stand: a field's name may be another field's result.
  static let longNames = ["ddeauto", "includepicture", "includetext"]

  /// - Parameter field: in lower case.
  static func isOne(_ field: String) -> Bool {
    let name = field.drop { $0.isWhitespace }.prefix {
      !$0.isWhitespace && $0 != "\\" && $0 != "\""
    }
    return names.contains(String(name))
  }
}
