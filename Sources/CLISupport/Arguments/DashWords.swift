/// Keeps the parser from taking a query's words for options: `-from:bob` negates, and `-vip` takes a keyword away.
///
/// The parser would read such a word as a bundle of one-letter options. For the verbs that take a query, options go
/// first, then `--`, then the words in their order. Options are words with two dashes, and of those with one dash `-q`,
/// `-v`, `-y` and `-h` alone, and `-vv`: several letters are a word. Behind a `--` everything is.
package enum DashWords {
  /// Verbs whose arguments are a query, or end with one. Lists, because every start of the program asks them, and a set's
  /// own beginning takes longer than looking through a few words.
  package static let verbs =
    changing + [
      "search", "threads", "show", "open", "reply", "forward", "attachments", "stats", "export",
    ]
  private static let changing = ["flag", "move", "archive", "delete"]
  /// The verb whose words have two parts, with a `--` between where need be.
  private static let divided = "flag"
  /// Options of these verbs that have a value.
  package static let valued = [
    "--config", "--format", "--root", "--limit", "--offset", "--sort", "--part", "--save", "--mbox",
    "--eml", "--charset",
  ]
  private static let end = "--"

  /// `arguments` without the program's name, the verb first (see ``VerbOrder``); as they are where there is no such word.
  package static func protected(_ arguments: [String]) -> [String] {
    guard let verb = arguments.first, verbs.contains(verb) else { return arguments }
    var options: [String] = []
    var words: [String] = []
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      if argument == end {
        words += (verb == divided ? [end] : []) + rest
        break
      }
      guard isOption(argument, verb) else {
        words.append(argument)
        continue
      }
      options.append(argument)
      if valued.contains(argument), let value = rest.popFirst() { options.append(value) }
    }
    let typed = arguments.dropFirst().prefix { $0 != end }
    guard typed.contains(where: { $0.hasPrefix("-") && !isOption($0, verb) }) else {
      return arguments
    }
    return [verb] + options + [end] + words
  }

  private static func isOption(_ argument: String, _ verb: String) -> Bool {
    if argument.hasPrefix("--") { return true }
    guard argument.hasPrefix("-") else { return false }
    let letters = argument.dropFirst()
    if letters == "y" { return changing.contains(verb) }
    if letters == "h" { return true }
    return !letters.isEmpty && letters.allSatisfy { $0 == "q" || $0 == "v" }
  }
}
