import MailCore

/// One mailbox of the server, for the list that a person chooses from.
package struct FolderInfo: Sendable, Equatable {
  package var name: String
  /// Its levels with slashes between: where it lies below the account's directory.
  package var path: String
  package var role: SpecialUse?
  /// nil where the server would not say.
  package var messages: Int?
  /// nil where the server cannot tell without looking into each message.
  package var bytes: Int64?

  package init(
    name: String, path: String? = nil, role: SpecialUse? = nil, messages: Int? = nil,
    bytes: Int64? = nil
  ) {
    self.bytes = bytes
    self.name = name
    self.path = path ?? name
    self.role = role
    self.messages = messages
  }
}
