import MailCore

/// What the server says about itself (RFC 2971). Keys in lower case; at most 30 of them.
package struct ServerID: Sendable, Equatable, CustomStringConvertible {
  package var fields: [String: String]

  package init(_ fields: [String: String] = [:]) { self.fields = fields }

  package var description: String {
    fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  package var name: String? { fields["name"] }
  package var vendor: String? { fields["vendor"] }
  package var version: String? { fields["version"] }
}
