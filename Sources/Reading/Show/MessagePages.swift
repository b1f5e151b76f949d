import MIME
import SafeHTML

/// The blocks of a message with its HTML made safe.
struct MessagePages {
  enum Block {
    case page(SafePage)
    case other(ReadableText.Block)
  }

  private(set) var blocks: [Block] = []

  /// Bytes of pictures that stand in one page.
  private static let mostImageBytes = 10_000_000

  /// - Parameter showsImages: whether the message's own images go into the page.
  init(_ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, showsImages: Bool) {
    var left = showsImages ? Self.mostImageBytes : 0
    let images = ImageSources(part: { id in
      Self.image(id, structure, bytes, &left)
    })
    blocks = ReadableText.read(bytes, structure, pages: .kept).blocks.map { block in
      guard case .page(let html) = block else { return .other(block) }
      return .page(
        html.withUnsafeBytes { Sanitiser.sanitise($0, images: images, trackers: TrackerFile.list) })
    }
  }

  var pages: [SafePage] {
    blocks.compactMap { block in
      if case .page(let page) = block { page } else { nil }
    }
  }

  private static func image(
    _ id: String, _ structure: MessageStructure, _ bytes: UnsafeRawBufferPointer, _ left: inout Int
  ) -> String? {
    guard left > 0, let part = structure.parts.first(where: { $0.contentID == id }),
      part.body.count <= left * 2
    else { return nil }
    var content: [UInt8] = []
    TransferDecoder.decode(
      UnsafeRawBufferPointer(rebasing: bytes[part.body]), part.encoding, into: &content)
    guard content.count <= left, let address = content.withUnsafeBytes(InlineImage.address) else {
      return nil
    }
    left -= content.count
    return address
  }
}
