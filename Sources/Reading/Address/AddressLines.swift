import CLISupport
import MailCore

/// Addresses as mail readers ask for them.
package enum AddressLines {
  /// neomutt(1) `query_command`: a line of words for the person, then `address<TAB>name<TAB>extra`.
  package static func lines(_ entries: [AddressBook.Entry], hasHeader: Bool) -> [String] {
    let lines = entries.map { entry in
      [entry.address, entry.name, extra(entry)].map(\.readable).joined(separator: "\t")
    }
    return hasHeader ? [Quantities.count(entries.count, "address", "addresses")] + lines : lines
  }

  package static func json(_ entry: AddressBook.Entry) -> JSONValue {
    .object([
      "address": .string(entry.address), "name": .string(entry.name),
      "sent_count": .integer(entry.sent), "received_count": .integer(entry.received),
      "last_date": entry.lastDate.map { .date($0) } ?? .null,
    ])
  }

  private static func extra(_ entry: AddressBook.Entry) -> String {
    let date = entry.lastDate.map { ", last " + CivilTime(local: $0).dayText } ?? ""
    return "\(entry.sent) to, \(entry.received) from\(date)"
  }
}
