import MIME
import SMTPWire

/// The envelope's recipients: each once, in the order in which they were named.
struct RecipientList {
  private(set) var addresses: [String] = []
  private var seen: Set<String> = []

  /// - Throws: `badAddress`.
  mutating func add(_ text: String, _ identity: SenderIdentity) throws(AcceptanceError) {
    let address = try identity.resolved(text, .recipient).text
    if seen.insert(Self.key(address)).inserted { addresses.append(address) }
  }

  /// A command-line argument, which may hold several addresses and names (sendmail(8)).
  mutating func add(argument: String, _ identity: SenderIdentity) throws(AcceptanceError) {
    guard (try? identity.resolved(argument, .recipient)) == nil else {
      return try add(argument, identity)
    }
    // Nothing that could end a command is ever taken apart into something that looks harmless.
    guard !argument.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw .badAddress(argument, .recipient)
    }
    guard argument.contains("<") else {
      let pieces = argument.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
      guard !pieces.isEmpty else { throw .badAddress(argument, .recipient) }
      for piece in pieces { try add(String(piece), identity) }
      return
    }
    let entries = try Self.parsed(Array(argument.utf8))
    guard !entries.isEmpty else { throw .badAddress(argument, .recipient) }
    for entry in entries where !entry.isEmptyGroup { try add(entry, identity) }
  }

  /// The fields of -t: the Resent- ones alone where there are any (RFC 5322 §3.6.6).
  mutating func add(fieldsOf header: RawHeader, _ identity: SenderIdentity) throws(AcceptanceError)
  {
    let resent = ["Resent-To", "Resent-Cc", "Resent-Bcc"]
    let names = resent.contains(where: header.has) ? resent : ["To", "Cc", "Bcc"]
    for name in names {
      for field in header.all(name) {
        for entry in try Self.parsed(Array(field.value)) where !entry.isEmptyGroup {
          try add(entry, identity)
        }
      }
    }
  }

  private mutating func add(_ entry: MailAddress, _ identity: SenderIdentity)
    throws(AcceptanceError)
  {
    guard !entry.address.isEmpty else { throw .badAddress(entry.name, .recipient) }
    try add(entry.address, identity)
  }

  /// Nobody is left out: more than can be read are refused.
  private static func parsed(_ value: [UInt8]) throws(AcceptanceError) -> [MailAddress] {
    let entries = value.withUnsafeBytes { AddressList.parse($0, limit: limit + 1) }
    guard entries.count <= limit else { throw .tooManyRecipients(limit: limit) }
    return entries
  }

  /// In one field.
  static let limit = 10_000

  /// Domains compare without case; local parts do not.
  private static func key(_ address: String) -> String {
    guard let at = address.lastIndex(of: "@") else { return address }
    return address[..<at] + address[at...].lowercased()
  }
}

extension MailAddress {
  /// `undisclosed-recipients:;`
  fileprivate var isEmptyGroup: Bool { address.isEmpty && name.isEmpty && group != nil }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
