import Foundation
import SMTPWire

/// Who sends, as the account and the options say.
package struct SenderIdentity: Sendable {
  /// The account's address.
  package var email: String?
  /// The account's name for people, or -F.
  package var name: String?
  /// Names without a domain that mean the account's owner: the log-in on this machine, root.
  package var localNames: Set<String> = []

  /// Other addresses that the account sends by: its log-in names.
  package var otherAddresses: [String] = []

  /// The account's own; one of the same domain counts, too: it is an alias, more often than not.
  func isOwn(_ address: String) -> Bool {
    func domain(_ text: String) -> String {
      text.lastIndex(of: "@").map { text[$0...].lowercased() } ?? ""
    }
    let own = (email.map { [$0] } ?? []) + otherAddresses
    return own.isEmpty || own.contains { domain($0) == domain(address) }
  }

  /// An address as given on a command line or in a field. `root` and the user's own name, as cron
  /// writes them, are the account's owner; no other name without a domain can be reached from here.
  ///
  /// - Throws: `badAddress`.
  func resolved(_ text: String, _ use: AcceptanceError.AddressUse) throws(AcceptanceError)
    -> SubmissionAddress
  {
    var text = text
    if text.hasPrefix("<"), text.hasSuffix(">") { text = String(text.dropFirst().dropLast()) }
    if !text.contains("@"), let email, localNames.contains(text) || use == .sender { text = email }
    // Two spellings of one letter are one domain (RFC 5891 §5.2).
    if !text.utf8.allSatisfy({ $0 < 0x80 }), let at = text.lastIndex(of: "@") {
      text = text[..<at] + String(text[at...]).precomposedStringWithCanonicalMapping
    }
    do throws(SubmissionAddress.Problem) {
      return try SubmissionAddress(text)
    } catch {
      throw .badAddress(text, use)
    }
  }
}
