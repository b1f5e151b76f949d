/// Colour for people: only on a terminal, and never against `NO_COLOR` or a dumb terminal.
package enum Colour: String, Sendable {
  case red = "31"
  case green = "32"
  case yellow = "33"

  package static func isWanted(onTerminal: Bool, environment: [String: String]) -> Bool {
    onTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  package func paint(_ text: String, if wanted: Bool) -> String {
    wanted ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
