/// Where a page's links lead, and what is told of each.
struct PageLinks {
  private(set) var count = 0
  private(set) var tracked = 0
  private(set) var misleading: [SafePage.MisleadingLink] = []

  /// Where a link leads; nil where that is nowhere.
  static func address(of link: PageElement, limits: PageLimits) -> WebAddress? {
    guard let value = link.attribute("href"), value.count <= limits.attributeBytes else {
      return nil
    }
    return WebAddress(value)
  }

  /// Counts a link.
  ///
  /// - Returns: the attributes it is written with.
  mutating func add(_ address: WebAddress, label: String) -> [UInt8] {
    count += 1
    if TrackedLink.isTracked(address) { tracked += 1 }
    var attributes = Array(" href=\"".utf8)
    PageEscaping.append(Array(address.text.utf8), into: &attributes)
    attributes.append(contentsOf: "\" rel=\"noopener noreferrer nofollow\"".utf8)
    if let (shown, real) = LinkLabel.misleads(label, to: address) {
      misleading.append(
        SafePage.MisleadingLink(label: label, shown: shown, real: real, address: address.text))
      attributes.append(contentsOf: " class=\"mirror-elsewhere\" title=\"".utf8)
      PageEscaping.append(Array(real.utf8), into: &attributes)
      attributes.append(ASCII.quote)
    }
    return attributes
  }
}
