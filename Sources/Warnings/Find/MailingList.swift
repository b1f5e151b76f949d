import MIME
import SafeHTML

/// The list that a message says it came through.
///
/// Anybody can write a list's fields. What they excuse depends on what lists really do, such as to put an address of their
/// own in place of the writer's, and on whether it is a list that the reader knows: that its mail of long ago tells.
package struct MailingList: Sendable, Equatable {
  /// In lower case: where mail to the list goes.
  private let addresses: Set<String>
  /// Of List-Id, in lower case; empty where there is none.
  private let id: String

  /// Nil where the message has no field of a list.
  init?(
    _ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer, recipients: [MailAddress]
  ) {
    func value(_ kind: FieldKind) -> String? {
      fields.first(kind).map {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[$0]), as: UTF8.self)
      }
    }
    let id = value(.listID)
    let post = value(.listPost)
    guard id != nil || post != nil else { return nil }
    self.id = id.map(Self.inBrackets) ?? ""
    var addresses = Set(recipients.map { $0.address.lowercased() })
    if let place = post.map(Self.inBrackets), place.hasPrefix("mailto:") {
      addresses.insert(String(place.dropFirst(7).prefix { $0 != "?" }))
    }
    self.addresses = addresses
  }

  /// `Name <id>`
  private static func inBrackets(_ value: String) -> String {
    let open = value.lastIndex(of: "<").map { value.index(after: $0) } ?? value.startIndex
    return value[open...].prefix { $0 != ">" }.lowercased().trimming { $0.isWhitespace }
  }

  /// Whether an address is the list's own.
  func has(_ address: String) -> Bool {
    let address = address.lowercased()
    return addresses.contains(address) || !id.isEmpty && address.replacing("@", with: ".") == id
  }

  /// Whether the list wrote the sender's name and address anew: `Jane Doe via Talk <talk@lists.example>`.
  func rewrote(_ sender: MailAddress) -> Bool {
    has(sender.address) && sender.name.lowercased().contains(" via ")
  }

  /// Whether the reader knows the list, and the provider found that it sent the message.
  ///
  /// - Parameter confirmed: the domains that the provider confirms; nil where it said nothing.
  func isKnown(to people: KnownPeople, confirmed: [String]?) -> Bool {
    guard !id.isEmpty, people.knowsList(id) else { return false }
    return confirmed?.contains { Organisation.isSame($0, id) } ?? true
  }
}
