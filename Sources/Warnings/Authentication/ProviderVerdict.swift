import MIME
import SafeHTML

/// What the reader's own provider says of who sent a message.
package enum ProviderVerdict: Sendable, Equatable {
  /// The sender's domain is confirmed; `by` is the provider's name for itself. What DMARC lets fail is never confirmed.
  case confirmed(domain: String, by: String)
  /// The domain's owner wants such mail refused or put aside.
  case failed(domain: String, by: String)
  /// Nothing was said, or nothing that matters.
  case unknown

  /// Reads the field that the provider wrote.
  ///
  /// - Parameters:
  ///   - authorities: the names that count, each as a whole and without case.
  ///   - from: the address that the message claims to be from.
  package static func read(
    _ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer, authorities: [String], from: String
  ) -> ProviderVerdict {
    read(ProviderResults(fields, bytes, authorities: authorities), from: from)
  }

  static func read(_ results: ProviderResults, from: String) -> ProviderVerdict {
    guard let domain = KnownPeople.domain(of: from), let authority = results.authority else {
      return .unknown
    }
    if let dmarc = results.results(of: "dmarc").first {
      if dmarc.outcome == "fail" {
        return wantsRefusal(dmarc) ? .failed(domain: domain, by: authority) : .unknown
      }
      let claimed = dmarc.properties["header.from"].map { ProviderResults.domain($0) } ?? domain
      if dmarc.outcome == "pass", isAligned(claimed, domain) {
        return .confirmed(domain: domain, by: authority)
      }
    }
    let isConfirmed = (results.confirmedDomains ?? []).contains { isAligned($0, domain) }
    return isConfirmed ? .confirmed(domain: domain, by: authority) : .unknown
  }

  /// Whether one name is the other or is below it: what belongs to one organisation besides, only a list of public
  /// suffixes could tell.
  private static func isAligned(_ left: String, _ right: String) -> Bool {
    left == right || left.hasSuffix("." + right) || right.hasSuffix("." + left)
  }

  /// The topmost name, for those who learn which one is the provider's.
  package static func topmostAuthority(
    _ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer
  ) -> String? {
    for field in fields.fields where ProviderResults.isOne(bytes[field.name]) {
      let value = UnsafeRawBufferPointer(rebasing: bytes[field.value])
      let authority = AuthenticationResults(value).authority
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
