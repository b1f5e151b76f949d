import MIME
import SafeHTML

/// What the reader's own provider says of who sent a message.
package enum ProviderVerdict: Sendable, Equatable {
  /// The sender's domain is confirmed; `by` is the provider's name for itself.
  case confirmed(domain: String, by: String)
  /// The domain's owner wants such mail refused or put aside.
  case failed(domain: String, by: String)
  /// Nothing was said, or nothing that matters: lists break signatures.
  case unknown

  /// Reads the fields that the provider wrote, from the top.
  ///
  /// - Parameters:
  ///   - authorities: the names that count, each as a whole and without case.
  ///   - from: the address that the message claims to be from.
  package static func read(
    _ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer, authorities: [String], from: String
  ) -> ProviderVerdict {
    guard let domain = KnownPeople.domain(of: from) else { return .unknown }
    let fields = trusted(fields, bytes, authorities: authorities.map { $0.lowercased() })
    guard let authority = fields.first?.authority else { return .unknown }
    // Of each method the topmost field counts.
    func results(of method: String) -> [AuthenticationResults.Result] {
      fields.lazy.map { $0.results.filter { $0.method == method } }.first { !$0.isEmpty } ?? []
    }
    let dmarc = results(of: "dmarc").first
    if dmarc?.outcome == "pass" {
      let claimed = dmarc?.properties["header.from"].map { Self.domain($0) } ?? domain
      if Organisation.isSame(claimed, domain) { return .confirmed(domain: domain, by: authority) }
    }
    let dkim = results(of: "dkim").contains { result in
      guard result.outcome == "pass",
        let signer = result.properties["header.d"] ?? result.properties["header.i"]
      else { return false }
      return Organisation.isSame(Self.domain(signer), domain)
    }
    if dkim { return .confirmed(domain: domain, by: authority) }
    let spf = results(of: "spf").contains { result in
      result.outcome == "pass"
        && result.properties["smtp.mailfrom"].map { Organisation.isSame(Self.domain($0), domain) }
          ?? false
    }
    if dmarc?.outcome != "fail", spf { return .confirmed(domain: domain, by: authority) }
    if let dmarc, dmarc.outcome == "fail", wantsRefusal(dmarc) {
      let isForwardedList = results(of: "arc").contains { $0.outcome == "pass" }
      return isForwardedList ? .unknown : .failed(domain: domain, by: authority)
    }
    return .unknown
  }

  /// The fields of the topmost block that name one of the authorities.
  ///
  /// It ends at the first Received field that the provider did not write, and at the first one below a field that
  /// counted.
  static func trusted(
    _ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer, authorities: [String]
  ) -> [AuthenticationResults] {
    var found: [AuthenticationResults] = []
    for field in fields.fields {
      let value = UnsafeRawBufferPointer(rebasing: bytes[field.value])
      if field.kind == .received {
        if !found.isEmpty { break }
        guard let host = receiver(String(decoding: value, as: UTF8.self)) else { break }
        let isOurs = authorities.contains { Organisation.isSame($0, host) } || isInternal(host)
        if !isOurs { break }
      } else if isAuthenticationResults(bytes[field.name]) {
        let results = AuthenticationResults(HeaderText.decode(value))
        if authorities.contains(results.authority) { found.append(results) }
      }
    }
    return found
  }

  /// The name that stands topmost, for those who learn which one is the provider's.
  package static func topmostAuthority(
    _ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer
  ) -> String? {
    for field in fields.fields where isAuthenticationResults(bytes[field.name]) {
      let value = UnsafeRawBufferPointer(rebasing: bytes[field.value])
      let authority = AuthenticationResults(HeaderText.decode(value)).authority
      return authority.isEmpty ? nil : authority
    }
    return nil
  }

  /// The provider's name, if at least 95 of 100 recent messages have it topmost.
  ///
  /// - Parameter topmost: of each message; fewer than ten tell nothing.
  package static func learned(from topmost: [String?]) -> String? {
    guard topmost.count >= 10 else { return nil }
    let counts = Dictionary(topmost.compactMap { $0 }.map { ($0, 1) }, uniquingKeysWith: +)
    return counts.first { $0.value * 100 >= topmost.count * 95 }?.key
  }

  private static func isAuthenticationResults(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    name.count == 22
      && zip(name, "authentication-results".utf8).allSatisfy {
        ($0 &- 65 < 26 ? $0 | 0x20 : $0) == $1
      }
  }

  /// The host of `by host`, or the address that some name there.
  static func receiver(_ received: String) -> String? {
    let words = received.prefix { $0 != ";" }.split(whereSeparator: \.isWhitespace)
    guard let by = words.firstIndex(where: { $0.lowercased() == "by" }), by + 1 < words.count else {
      return nil
    }
    return words[by + 1].lowercased().trimming { $0 == "." || $0 == "[" || $0 == "]" }
  }

  /// Names that say nothing of anybody: addresses and hosts without a domain.
  private static func isInternal(_ host: String) -> Bool {
    host.contains(":") || !host.contains(".") || Organisation.isAddress(host)
  }

  private static func domain(_ value: String) -> String {
    KnownPeople.domain(of: value.trimming { "<>.".contains($0) })
      ?? value.lowercased().trimming { "@<>.".contains($0) }
  }

  private static func wantsRefusal(_ result: AuthenticationResults.Result) -> Bool {
    let action = result.properties["action"]?.lowercased() ?? ""
    if ["quarantine", "reject", "oreject"].contains(action) { return true }
    let policy = result.properties["policy.p"]?.lowercased() ?? result.properties["p"]?.lowercased()
    if let policy { return policy == "reject" || policy == "quarantine" }
    let words = result.comment.split { $0.isWhitespace || $0 == "," || $0 == ";" }
    return words.contains("p=reject") || words.contains("p=quarantine")
  }
}

extension StringProtocol {
  func trimming(_ isCut: (Character) -> Bool) -> String {
    guard let start = firstIndex(where: { !isCut($0) }), let end = lastIndex(where: { !isCut($0) })
    else { return "" }
    return String(self[start...end])
  }
}
