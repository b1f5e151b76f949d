import MIME
import SafeHTML

/// The Authentication-Results field of a message that the reader's own provider wrote.
///
/// There is one that counts: servers put theirs on top of what came, so that below the first one of this name is
/// what the sender may have written. What it leaves unsaid is unknown, but for one thing: providers that write a field for
/// each method may say further down that DMARC failed, and no sender says that of himself.
struct ProviderResults {
  private let field: AuthenticationResults?
  private var failures: [AuthenticationResults.Result] = []

  /// The topmost that names one of the authorities, as a whole and without case, above the first Received field that the
  /// provider did not write. One that tells of the provider's own tests alone is passed over.
  init(_ header: HeaderFields, _ bytes: UnsafeRawBufferPointer, authorities: [String]) {
    let authorities = authorities.map { $0.lowercased() }
    var topmost: AuthenticationResults?
    for field in header.fields {
      let value = UnsafeRawBufferPointer(rebasing: bytes[field.value])
      if field.kind == .received {
        guard let host = Self.receiver(String(decoding: value, as: UTF8.self)),
          authorities.contains(where: { Self.isHost(host, of: $0) })
        else { break }
      } else if Self.isOne(bytes[field.name]) {
        let results = AuthenticationResults(value)
        guard authorities.contains(results.authority), !Self.isPrivate(results) else { continue }
        if topmost == nil {
          topmost = results
        } else if results.authority == topmost?.authority {
          failures += results.results.filter { $0.method == "dmarc" && $0.outcome == "fail" }
        }
      }
    }
    field = topmost
  }

  /// Methods that no standard knows begin so.
  private static func isPrivate(_ results: AuthenticationResults) -> Bool {
    !results.results.isEmpty && results.results.allSatisfy { $0.method.hasPrefix("x-") }
  }

  /// The provider's name for itself; nil where it said nothing.
  var authority: String? { field?.authority }

  func results(of method: String) -> [AuthenticationResults.Result] {
    let told = field?.results.filter { $0.method == method } ?? []
    return told.isEmpty && method == "dmarc" ? failures : told
  }

  /// The domains that signed the message, sent it or stand for it, as far as the provider found that true; nil where it
  /// said nothing of them.
  var confirmedDomains: [String]? {
    let properties = [
      ("dkim", ["header.d", "header.i"]), ("spf", ["smtp.mailfrom"]), ("dmarc", ["header.from"]),
    ]
    let found = properties.flatMap { method, names in results(of: method).map { ($0, names) } }
    guard !found.isEmpty else { return nil }
    return found.filter { $0.0.outcome == "pass" }.compactMap { result, names in
      names.lazy.compactMap { result.properties[$0] }.first.map(Self.domain)
    }
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
