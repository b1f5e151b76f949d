/// Which links a reader wants to see listed.
enum HTMLLinkRule {
  /// Not what leads nowhere outside (`#top`, `cid:`, script), nor what its own label spells out.
  static func isWorthListing(_ url: String, label: String) -> Bool {
    guard !label.isEmpty, let colon = url.utf8.firstIndex(of: ASCII.colon) else { return false }
    let scheme = url[..<colon].lowercased()
    guard ["http", "https", "mailto", "ftp", "tel"].contains(scheme) else { return false }
    return bare(url) != bare(label)
  }

  private static func bare(_ address: String) -> String {
    var address = address.lowercased()[...]
    for prefix in ["https://", "http://", "mailto:", "tel:", "ftp://", "www."]
    where address.hasPrefix(prefix) {
      address = address.dropFirst(prefix.count)
    }
    while address.hasSuffix("/") { address = address.dropLast() }
    return String(address)
  }
}
