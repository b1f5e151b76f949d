/// Lets common options stand before the verb: they are moved to just behind it, where the verb's parser knows them.
package enum VerbOrder {
  private static let flags = ["--quiet", "--verbose", "--dry-run", "--progress"]
  private static let options = ["--config", "--format", "--root"]
  /// Verbs that have verbs of their own.
  private static let groups = ["index", "outbox", "auth", "trust"]

  /// `arguments` without the program's name. What is no common option stays where it stands, so that its error is told.
  package static func normalised(_ arguments: [String]) -> [String] {
    let before = commonOptions(arguments, from: 0)
    guard before < arguments.count, !arguments[before].hasPrefix("-") else { return arguments }
    var verb = [arguments[before]]
    var rest = before + 1
    var moved = Array(arguments[..<before])
    if groups.contains(verb[0]) {
      let second = commonOptions(arguments, from: rest)
      if second < arguments.count, !arguments[second].hasPrefix("-") {
        moved += arguments[rest..<second]
        verb.append(arguments[second])
        rest = second + 1
      }
    }
    return verb + moved + arguments[rest...]
  }

  /// Behind the common options that begin here.
  private static func commonOptions(_ arguments: [String], from start: Int) -> Int {
    var index = start
    while index < arguments.count, case let count = length(of: arguments[index]), count > 0 {
      index += count
    }
    return index
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
