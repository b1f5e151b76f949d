import MIME

/// A message written as Swift text, read.
struct SampleMessage {
  let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  var text: MessageText {
    bytes.withUnsafeBytes { MessageText.extract($0, MessageStructure.parse($0)) }
  }

  var body: String { String(decoding: text.body, as: UTF8.self) }

  func readable(prefersHTML: Bool = false) -> ReadableText {
    bytes.withUnsafeBytes {
      ReadableText.read($0, MessageStructure.parse($0), prefersHTML: prefersHTML)
    }
  }

  func content(_ section: String) -> String? {
    var content: [UInt8] = []
    let found = bytes.withUnsafeBytes {
      PartContent.append(section: section, of: $0, MessageStructure.parse($0), into: &content)
    }
    return found == nil ? nil : String(decoding: content, as: UTF8.self)
  }
}
