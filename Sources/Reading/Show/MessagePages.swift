import MIME
import SafeHTML

/// The blocks of a message with its HTML made safe.
struct MessagePages {
  enum Block {
    case page(SafePage)
    case other(ReadableText.Block)
  }

  private(set) var blocks: [Block] = []
  /// Whether some text is longer than what was read of it.
  private(set) var isCut = false
  /// Images of the message that are left out because all together are too large.
  private(set) var imagesLeftOut = 0

  /// Most bytes of inlined images in one page.
  static let mostImageBytes = 10_000_000

  /// - Parameter remote: images that were fetched before.
  init(
    _ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure,
    remote: @escaping (WebAddress) -> String? = { _ in nil }
  ) {
    var left = Self.mostImageBytes
    var leftOut = 0
    let images = ImageSources(
      part: { Self.image($0, structure, bytes, &left, &leftOut) }, remote: remote)
    let text = ReadableText.read(bytes, structure, pages: .kept)
    isCut = text.isCut
    for block in text.blocks.withQuotesJoined {
      guard case .page(let html) = block else {
        blocks.append(.other(block))
        continue
      }
      html.withUnsafeBytes { html in
        let page = Sanitiser.sanitise(html, images: images, trackers: TrackerFile.list)
        blocks.append(.page(page))
        if page.refusal != nil { addWords(of: html) }
      }
    }
    imagesLeftOut = leftOut
  }

  /// What is left of a page that is too large for its tree.
  private mutating func addWords(of html: UnsafeRawBufferPointer) {
    let most = TextLimits.standard.text
    var text: [UInt8] = []
    HTMLText.append(html, limit: most, into: &text)
    // The reader ends where it has as much as it may.
    if text.count >= most { isCut = true }
    let words = String(decoding: text, as: UTF8.self)
    if !words.allSatisfy(\.isWhitespace) { blocks.append(.other(.text(words))) }
  }

  var pages: [SafePage] {
    blocks.compactMap { block in
      if case .page(let page) = block { page } else { nil }
    }
  }

  private static func image(
    _ id: String, _ structure: MessageStructure, _ bytes: UnsafeRawBufferPointer, _ left: inout Int,
    _ leftOut: inout Int
  ) -> String? {
    guard let part = structure.parts.first(where: { $0.contentID == id }) else { return nil }
    guard part.body.count <= left * 2 else {
      leftOut += 1
      return nil
    }
    var content: [UInt8] = []
    TransferDecoder.decode(
      UnsafeRawBufferPointer(rebasing: bytes[part.body]), part.encoding, into: &content)
    guard content.count <= left else {
      leftOut += 1
      return nil
    }
    guard let address = content.withUnsafeBytes(InlineImage.address) else { return nil }
    left -= content.count
    return address
  }
}
