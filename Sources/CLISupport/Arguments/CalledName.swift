/// A program that has other names, by links to it, and is one of its verbs under each of them.
package enum CalledName {
  /// The arguments as if the verb had been given: of `/usr/sbin/sendmail -t` with the verb `sendmail`, `sendmail -t`.
  ///
  /// - Parameter commandLine: with the name that the program was called by at its start.
  package static func arguments(_ commandLine: [String], verbs: Set<String>) -> [String] {
    let name = commandLine.first?.split(separator: "/").last.map(String.init) ?? ""
    return (verbs.contains(name) ? [name] : []) + commandLine.dropFirst()
  }
}
