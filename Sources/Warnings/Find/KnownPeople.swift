import MIME
import SafeHTML

/// Whom the reader writes with: the senders and recipients of earlier mail.
package struct KnownPeople {
  /// The addresses of people of this name; the name as `normalised` makes it.
  package var addresses: (_ name: String) -> [String]
  /// Whether an address, in lower case, is one of theirs.
  package var knows: (_ address: String) -> Bool
  /// Their organisations' domains.
  package var domains: () -> [String]
  /// Whether mail of a list came long ago; the list by its List-Id in lower case.
  package var knowsList: (_ id: String) -> Bool

  package init(
    addresses: @escaping (String) -> [String], knows: @escaping (String) -> Bool,
    domains: @escaping () -> [String],
    knowsList: @escaping (String) -> Bool
  ) {
    self.addresses = addresses
    self.knows = knows
    self.domains = domains
    self.knowsList = knowsList
  }

  /// - Parameter lists: by their List-Id, in lower case.
  package init(_ people: [MailAddress], lists: Set<String> = []) {
    let byName = Dictionary(grouping: people) { Self.normalised($0.name) }
      .mapValues { $0.map { $0.address.lowercased() } }
    let all = Set(people.map { $0.address.lowercased() })
    self.init(
      addresses: { byName[$0] ?? [] }, knows: { all.contains($0) },
      domains: { Self.domains(of: all) }, knowsList: { lists.contains($0) })
  }

  package static var nobody: KnownPeople { KnownPeople([]) }

  /// The organisations that addresses belong to, each once.
  package static func domains(of addresses: some Sequence<String>) -> [String] {
    Set(addresses.compactMap { domain(of: $0) }.map { Organisation.domain(of: $0) }).sorted()
  }

  /// A name without regard to case and blanks.
  package static func normalised(_ name: String) -> String {
    name.lowercased().split { $0.isWhitespace || $0 == "\"" || $0 == "'" }.joined(separator: " ")
  }

  /// The domain of an address, in lower case.
  package static func domain(of address: String) -> String? {
    guard let at = address.lastIndex(of: "@") else { return nil }
    let domain = address[address.index(after: at)...].lowercased()
    return domain.isEmpty ? nil : domain
  }
}
