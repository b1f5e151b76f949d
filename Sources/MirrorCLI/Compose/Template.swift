import MIME
import MailCore
import Reading

/// A message to be finished by its writer: header fields and lines, in UTF-8, LF line ends.
///
/// Fields hold what is to be sent: of the words of others nothing that turns letters round or cannot be seen.
struct Template: Equatable {
  private(set) var bytes: [UInt8] = []

  private static let width = 78

  /// A field whose value has no place to break it.
  mutating func field(_ name: String, _ value: String) {
    line("\(name): \(value.cleaned)")
  }

  /// A field of several items, a line for each where one is not enough; nothing where there are none.
  mutating func field(_ name: String, _ items: [String], separator: String) {
    guard !items.isEmpty else { return }
    var row = "\(name):"
    for (place, item) in items.enumerated() {
      let text = " " + item.cleaned + (place + 1 < items.count ? separator : "")
      if place > 0, row.count + text.count > Self.width {
        line(row)
        row = ""
      }
      row += text
    }
    line(row)
  }

  mutating func field(_ name: String, _ people: [MailAddress]) {
    field(name, people.map(Self.mailbox), separator: ",")
  }

  mutating func field(_ name: String, ids: [String]) {
    field(name, ids.map { "<\($0.filter { !$0.isWhitespace })>" }, separator: "")
  }

  mutating func line(_ text: String) {
    bytes += Array(text.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  mutating func raw(_ content: some Sequence<UInt8>) { bytes += content }

  /// A display name that is no plain phrase is written as a quoted-string (RFC 5322 §3.2.4).
  static func mailbox(_ person: MailAddress) -> String {
    guard !person.name.isEmpty else { return person.address }
    let isPlain = person.name.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x80 || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || " !#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
    }
    if isPlain { return "\(person.name) <\(person.address)>" }
    let inner = person.name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(inner)\" <\(person.address)>"
  }
}
