extension HTMLReader {
  /// Numbers a link unless its label says where it leads.
  mutating func closeLink() {
    guard let link else { return }
    self.link = nil
    guard result.links.count < Self.mostLinks, writer.position > link.textStart else { return }
    var url: [UInt8] = []
    appendDecoded(link.url, into: &url)
    let target = String(decoding: url, as: UTF8.self)
    let label = String(decoding: writer.text[link.textStart...], as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard HTMLLinkRule.isWorthListing(target, label: label) else { return }
    let number = linkNumbers[target] ?? result.links.count + 1
    if number > result.links.count {
      result.links.append(HTMLText.Link(label: label, url: target))
      linkNumbers[target] = number
    }
    writer.space()
    writer.word(Array("[\(number + firstLink - 1)]".utf8))
  }

  private func appendDecoded(_ range: Range<Int>, into bytes: inout [UInt8]) {
    var index = range.lowerBound
    while index < range.upperBound, bytes.count < 8192 {
      if html[index] == UInt8(ascii: "&"), let (scalar, next) = HTMLEntity.read(html, at: index),
        next <= range.upperBound, html[next - 1] == ASCII.semicolon
      {
        bytes.appendScalar(scalar)
        index = next
        continue
      }
      // Browsers drop line breaks and tabs within addresses.
      if html[index] > ASCII.space || html[index] == ASCII.space && !bytes.isEmpty {
        bytes.append(html[index])
      }
      index += 1
    }
    while bytes.last == ASCII.space { bytes.removeLast() }
  }
}
