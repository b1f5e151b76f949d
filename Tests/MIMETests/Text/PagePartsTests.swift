import MIME
import Testing

/// Which pages of a message a warner gets to see.
struct PagePartsTests {
  private static let alternative =
    "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n"
    + "Long enough words to be no stub of what stands beside them, whoever reads them.\n--b\n"
    + "Content-Type: text/html\n\n<p>page</p>\n--b--\n"
  private static let messages = [
    "Content-Type: text/html\n\n<p>page</p>\n", alternative,
    "Content-Type: text/plain\n\n<!doctype html><p>page</p>\n",
    "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nPGh0bWw+cGFnZQ==\n",
    "Content-Type: text/html; charset=iso-8859-1\n\n<p>pag\u{e9}</p>\n",
    "Content-Type: text/plain\n\nno page <p>\n",
    "Content-Type: text/enriched\n\n<bold>page</bold>\n",
    "Content-Type: message/rfc822\n\n" + alternative,
    "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
      + "Q29udGVudC1UeXBlOiB0ZXh0L2h0bWwKCjxwPnBhZ2U8L3A+Cg==\n",
    "Content-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: text/html\n\n<p>one</p>\n--c\n"
      + alternative + "--c--\n",
  ]

  private func kept(_ message: [UInt8]) -> [[UInt8]] {
    message.withUnsafeBytes { bytes in
      ReadableText.read(bytes, MessageStructure.parse(bytes), pages: .kept).blocks.compactMap {
        if case .page(let html) = $0 { html } else { nil }
      }
    }
  }

  @Test(arguments: messages) func `all pages are found without the text`(message: String) {
    let message = Array(message.utf8)
    var found: [[UInt8]] = []
    message.withUnsafeBytes { bytes in
      PageParts.each(in: bytes, MessageStructure.parse(bytes)) { found.append(Array($0)) }
    }
    #expect(found == kept(message))
  }

  @Test(arguments: messages) func `each page is read as text or handed over`(message: String) {
    let message = Array(message.utf8)
    var found: [[UInt8]] = []
    message.withUnsafeBytes { bytes in
      _ = ReadableText.read(
        bytes, MessageStructure.parse(bytes),
        pages: .asText { html, _, _, _ in
          found.append(Array(html))
          return nil
        }, unread: { found.append(Array($0)) })
    }
    #expect(found == kept(message))
  }
}
