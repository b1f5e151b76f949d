import MailCore

extension Quantities {
  /// `5,354`: for numbers that are compared with one another.
  package static func grouped(_ number: Int) -> String {
    var groups: [String] = []
    var rest = String(number.magnitude)[...]
    while rest.count > 3 {
      groups.insert(String(rest.suffix(3)), at: 0)
      rest = rest.dropLast(3)
    }
    return (number < 0 ? "-" : "") + ([String(rest)] + groups).joined(separator: ",")
  }
}
