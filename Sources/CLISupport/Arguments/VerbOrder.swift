/// Lets common options stand before the verb: they are moved to just behind it, where the verb's parser knows them.
package enum VerbOrder {
  private static let flags: Set<String> = ["--quiet", "--verbose", "--dry-run", "--progress"]
  private static let options: Set<String> = ["--config", "--format", "--root"]
  /// Verbs that have verbs of their own.
  private static let groups: Set<String> = ["index", "outbox", "auth", "trust"]

  /// `arguments` without the program's name. What is no common option stays where it stands, so that its error is told.
  package static func normalised(_ arguments: [String]) -> [String] {
    var moved: [String] = []
    var index = 0
    while index < arguments.count, arguments[index].hasPrefix("-") {
      let count = length(of: arguments[index])
      guard count > 0, index + count < arguments.count else { return arguments }
      moved += arguments[index..<(index + count)]
      index += count
    }
    guard index < arguments.count, index > 0 else { return arguments }
    var verb = [arguments[index]]
    if groups.contains(arguments[index]), index + 1 < arguments.count,
      !arguments[index + 1].hasPrefix("-")
    {
      verb.append(arguments[index + 1])
    }
    return verb + moved + arguments[(index + verb.count)...]
  }

  /// How many arguments this common option takes, itself included; 0 for anything else.
  private static func length(of argument: String) -> Int {
    if flags.contains(argument) { return 1 }
    if options.contains(argument) { return 2 }
    if let equals = argument.firstIndex(of: "="), options.contains(String(argument[..<equals])) {
      return 1
    }
    let letters = argument.dropFirst()
    return !letters.isEmpty && letters.allSatisfy { $0 == "q" || $0 == "v" } ? 1 : 0
  }
}
