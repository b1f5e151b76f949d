/// A command line read without the argument parser, which takes longer to get ready than most searches take. Whatever is
/// not plain here, the parser reads, or refuses.
enum PlainWords {
  /// - Parameters:
  ///   - arguments: without the program's name, the verb first.
  ///   - flag: whether an argument is a flag of the command, which is then set.
  ///   - option: whether an argument is an option of the command that may have this value, which is then set.
  /// - Returns: the words that are no options; nil where the parser is to look.
  static func read(
    _ arguments: [String], of verb: String, flag: (String) -> Bool,
    option: (_ name: String, _ value: String) -> Bool
  ) -> [String]? {
    guard arguments.first == verb else { return nil }
    var words: [String] = []
    var seen: Set<String> = []
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      guard argument.utf8.first == UInt8(ascii: "-") else {
        if argument.isEmpty { return nil }
        words.append(argument)
        continue
      }
      if argument == "--" {
        // What looks like an option after it is the parser's, too.
        guard rest.allSatisfy({ !$0.isEmpty && $0.utf8.first != UInt8(ascii: "-") }) else {
          return nil
        }
        return words + rest
      }
      guard seen.insert(argument).inserted else { return nil }
      if flag(argument) { continue }
      guard let value = rest.popFirst(), !value.isEmpty, value.utf8.first != UInt8(ascii: "-"),
        option(argument, value)
      else { return nil }
    }
    return words
  }
}
