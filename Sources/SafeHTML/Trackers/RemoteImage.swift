/// A picture that a page would fetch from somewhere.
package struct RemoteImage: Sendable, Equatable {
  /// Why it is there to be counted, and not to be seen.
  package enum Tracking: Sendable, Equatable {
    /// Its address is one of a list.
    case known
    /// At most one pixel in size.
    case tiny
    /// Stands where nothing can be seen.
    case hidden
    /// The last thing of the page, without words or size, its address as good as a name.
    case token
  }

  package var address: WebAddress
  package var host: String
  package var tracking: Tracking?
  /// Whether it was fetched and is in the page.
  package var isShown = false
}

/// What is known of an image before its place on the page is.
struct ImageShape {
  var width: Double?
  var height: Double?
  var isHidden = false
  var hasWords = false

  func tracking(of address: WebAddress, list: TrackerList) -> RemoteImage.Tracking? {
    if list.contains(address) { return .known }
    if isHidden { return .hidden }
    let isThin = (width ?? 2) <= 1 || (height ?? 2) <= 1
    let isSmall = (width ?? 1) <= 1 && (height ?? 1) <= 1
    return isThin && isSmall && !isSpacer(address) ? .tiny : nil
  }

  /// Whether it would be a tracker as the last thing of a page.
  func isToken(_ address: WebAddress) -> Bool {
    width == nil && height == nil && !hasWords && Self.hasToken(address)
  }

  /// Layouts of old keep columns apart with a picture of nothing; one for all readers tells nothing of any.
  private func isSpacer(_ address: WebAddress) -> Bool {
    let path = address.path.lowercased()
    guard !path.contains("?"), !Self.hasToken(address), let slash = path.lastIndex(of: "/") else {
      return false
    }
    return ["spacer", "blank", "clear", "transparent", "shim", "trans", "dot_clear"]
      .contains { path[path.index(after: slash)...].hasPrefix($0) }
  }

  /// A run of 16 or more alphanumeric characters that is no word.
  static func hasToken(_ address: WebAddress) -> Bool {
    address.path.utf8.split {
      !ASCII.isLetter($0) && !ASCII.isDigit($0) && $0 != ASCII.dash && $0 != UInt8(ascii: "_")
    }
    .contains { run in
      guard run.count >= 16 else { return false }
      let digits = run.count(where: ASCII.isDigit)
      let capitals = run.count { $0 &- 65 < 26 }
      return digits >= 3 && (digits < run.count || run.count >= 20)
        || capitals >= 4 && capitals < run.count - 3
    }
  }
}

/// Parameters by which a link says who follows it.
package enum TrackedLink {
  package static func isTracked(_ address: WebAddress) -> Bool {
    guard address.isWeb, let question = address.text.utf8.firstIndex(of: ASCII.question) else {
      return false
    }
    return address.text.utf8[question...].dropFirst().split(separator: UInt8(ascii: "&")).contains {
      pair in
      let name = String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
        .lowercased()
      return names.contains(name) || name.hasPrefix("utm_") || name.hasPrefix("oly_")
    }
  }

  private static let names: Set<String> = [
    "mc_eid", "fbclid", "_hsenc", "_hsmi", "mkt_tok", "vero_id", "vero_conv", "gclid", "msclkid",
    "icid", "spm",
    "mc_cid", "ck_subscriber_id", "sc_eh", "s_cid", "dclid", "yclid", "igshid", "wickedid",
    "trk_contact",
  ]
}
