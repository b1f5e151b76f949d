import MIME
import SafeHTML

/// The list that a message says it came through.
///
/// Anybody can write a list's fields. By themselves they excuse a changed text, which lists really have, and nothing else;
/// what more is usual on a list counts where the reader knows it: that its mail of long ago tells.
package struct MailingList: Sendable, Equatable {
  /// Of List-Id, in lower case; empty where there is none.
  private let id: String

  /// Nil where the message has no field of a list.
  init?(_ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer) {
    let id = fields.first(.listID).map { field in
      Self.inBrackets(
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[field]), as: UTF8.self))
    }
    guard id != nil || fields.first(.listPost) != nil else { return nil }
    self.id = id ?? ""
  }

  /// `Name <id>`
  private static func inBrackets(_ value: String) -> String {
    let open = value.lastIndex(of: "<").map { value.index(after: $0) } ?? value.startIndex
    return value[open...].prefix { $0 != ">" }.lowercased().trimming { $0.isWhitespace }
  }

  /// Whether the reader knows the list, and the provider found that it sent the message.
  ///
  /// - Parameter confirmed: the domains that the provider confirms; nil where it said nothing.
  func isKnown(to people: KnownPeople, confirmed: [String]?) -> Bool {
    guard !id.isEmpty, people.knowsList(id) else { return false }
    return confirmed?.contains { Organisation.isSame($0, id) } ?? true
  }
}
