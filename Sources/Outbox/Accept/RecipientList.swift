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
      for piece in argument.split(separator: ",", omittingEmptySubsequences: false) {
        try add(String(piece.trimmingPrefix(" ")), identity)
      }
      return
    }
    let entries = Array(argument.utf8).withUnsafeBytes { AddressList.parse($0) }
    guard !entries.isEmpty else { throw .badAddress(argument, .recipient) }
    for entry in entries where !entry.isEmptyGroup { try add(entry.address, identity) }
  }

  /// The fields of -t: the Resent- ones alone where there are any (RFC 5322 §3.6.6).
  mutating func add(fieldsOf header: RawHeader, _ identity: SenderIdentity) throws(AcceptanceError)
  {
    let resent = ["Resent-To", "Resent-Cc", "Resent-Bcc"]
    let names = resent.contains(where: header.has) ? resent : ["To", "Cc", "Bcc"]
    for name in names {
      for field in header.all(name) {
        for entry in Array(field.value).withUnsafeBytes({ AddressList.parse($0) })
        where !entry.isEmptyGroup {
          guard !entry.address.isEmpty else { throw .badAddress(entry.name, .recipient) }
          try add(entry.address, identity)
        }
      }
    }
  }

  /// Domains compare without case; local parts do not.
  private static func key(_ address: String) -> String {
    guard let at = address.lastIndex(of: "@") else { return address }
    return address[..<at] + address[at...].lowercased()
  }
}

extension MailAddress {
  /// `undisclosed-recipients:;`
  fileprivate var isEmptyGroup: Bool { address.isEmpty && group != nil }
}
