import MIME
import SafeHTML

/// The Authentication-Results of a message that the reader's own provider wrote.
struct ProviderResults {
  private let fields: [AuthenticationResults]

  /// Those that name one of the authorities, as a whole and without case, in the topmost block.
  ///
  /// It ends at the first Received field that the provider did not write, and at the first one below a field that
  /// counted.
  init(_ header: HeaderFields, _ bytes: UnsafeRawBufferPointer, authorities: [String]) {
    let authorities = authorities.map { $0.lowercased() }
    var found: [AuthenticationResults] = []
    for field in header.fields {
      let value = UnsafeRawBufferPointer(rebasing: bytes[field.value])
      if field.kind == .received {
        if !found.isEmpty { break }
        guard let host = Self.receiver(String(decoding: value, as: UTF8.self)),
          authorities.contains(where: { Self.isHost(host, of: $0) })
        else { break }
      } else if Self.isOne(bytes[field.name]) {
        let results = AuthenticationResults(value)
        if authorities.contains(results.authority) { found.append(results) }
      }
    }
    fields = found
  }

  /// The provider's name for itself; nil where it said nothing.
  var authority: String? { fields.first?.authority }

  /// Of each method the topmost field counts.
  func results(of method: String) -> [AuthenticationResults.Result] {
    fields.lazy.map { $0.results.filter { $0.method == method } }.first { !$0.isEmpty } ?? []
  }

  /// The domains that signed the message or sent it, as far as the provider found that true.
  var confirmedDomains: [String] {
    let signers = results(of: "dkim").filter { $0.outcome == "pass" }
      .compactMap { $0.properties["header.d"] ?? $0.properties["header.i"] }
    let senders = results(of: "spf").filter { $0.outcome == "pass" }
      .compactMap { $0.properties["smtp.mailfrom"] }
    return (signers + senders).map(Self.domain)
  }

  static func domain(_ value: String) -> String {
    KnownPeople.domain(of: value.trimming { "<>.".contains($0) })
      ?? value.lowercased().trimming { "@<>.".contains($0) }
  }

  static func isOne(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    name.count == 22
      && zip(name, "authentication-results".utf8).allSatisfy {
        ($0 &- 65 < 26 ? $0 | 0x20 : $0) == $1
      }
  }

  // MARK: Received

  /// The host of `by host`, or the address that some name there.
  private static func receiver(_ received: String) -> String? {
    let words = received.prefix { $0 != ";" }.split(whereSeparator: \.isWhitespace)
    guard let by = words.firstIndex(where: { $0.lowercased() == "by" }), by + 1 < words.count else {
      return nil
    }
    return words[by + 1].lowercased().trimming { $0 == "." || $0 == "[" || $0 == "]" }
  }

  /// Whether a host is one of the provider's. Other names, `localhost` or an address, anybody may have written.
  private static func isHost(_ host: String, of authority: String) -> Bool {
    let organisation = Organisation.domain(of: authority)
    if Organisation.domain(of: host) == organisation { return true }
    return inner[organisation]?.contains { host.hasPrefix($0) } ?? false
  }

  /// How providers name hosts of their own that have no name.
  private static let inner = ["google.com": ["2002:a05:", "10."]]
}
