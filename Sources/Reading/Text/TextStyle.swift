/// How a piece of a result looks on a terminal that shows colours.
package enum TextStyle: String, Sendable {
  case bold = "1"
  case dim = "2"
  case match = "1;33"
  case warning = "31"
  case heading = "1;36"
  case keyword = "32"

  package func paint(_ text: String, if wanted: Bool) -> String {
    wanted && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
