import MIME
import Testing

struct ReadableTextTests {
  @Test func `a reply reads in order`() {
    let message = SampleMessage(
      """
      Content-Type: multipart/mixed; boundary=b

      --b

      Hello

      On 1 May 2021, Bob <b@c.d> wrote:
      > old

      Yes
      -- 
      Me
      --b
      Content-Type: image/png; name=x.png
      Content-Transfer-Encoding: base64

      AAAA
      --b
      Content-Type: message/rfc822

      From: =?utf-8?q?J=C3=B6rg?= <j@x.y>
      Subject: Inner

      inner text
      --b--

      """)
    let readable = message.readable()
    #expect(
      readable.blocks.prefix(4) == [
        .text("Hello"), .quoted("On 1 May 2021, Bob <b@c.d> wrote:\n> old", depth: 1), .text("Yes"),
        .signature("-- \nMe"),
      ])
    guard case .attachment(let file) = readable.blocks[4] else {
      Issue.record("no attachment")
      return
    }
    #expect(file.fileName == "x.png")
    #expect(file.size == 3)
    #expect(
      readable.blocks[5]
        == .message(
          section: "3",
          fields: [
            .init(name: "From", value: "Jörg <j@x.y>"), .init(name: "Subject", value: "Inner"),
          ]))
    #expect(readable.blocks.last == .text("inner text"))
  }

  @Test func `HTML is shown with quotes and links`() {
    let html = "<p>See <a href='https://a.example/x'>here</a></p><blockquote>old</blockquote>"
    let readable = SampleMessage("Content-Type: text/html\n\n" + html).readable()
    #expect(readable.blocks == [.text("See here [1]"), .quoted("> old", depth: 1)])
    #expect(readable.links.map(\.url) == ["https://a.example/x"])
    #expect(readable.isHTML)
  }

  @Test func `links of several parts are numbered through`() {
    let part = "--b\nContent-Type: text/html\n\n<a href='https://a.example/"
    let message = SampleMessage(
      "Content-Type: multipart/mixed; boundary=b\n\n\(part)1'>x</a>\n\(part)2'>y</a>\n--b--\n")
    #expect(message.readable().blocks == [.text("x [1]"), .text("y [2]")])
    #expect(message.readable().links.map(\.url) == ["https://a.example/1", "https://a.example/2"])
  }

  @Test func `flowed text is joined`() {
    let readable = SampleMessage("Content-Type: text/plain; format=flowed\n\na \nb\n> c \n> d\n")
      .readable()
    #expect(readable.blocks == [.text("a b"), .quoted("> c d", depth: 1)])
  }

  @Test func `the HTML alternative comes on demand`() {
    let message = MessageTextTests.alternative(plain: "Plain", html: "<p>HTML</p>")
    #expect(message.readable().blocks == [.text("Plain")])
    #expect(message.readable(prefersHTML: true).blocks == [.text("HTML")])
  }

  @Test func `texts with names are shown where they stand, and listed`() {
    let message = SampleMessage(
      """
      Content-Type: multipart/mixed; boundary=b

      --b

      Two patches.
      --b
      Content-Type: text/x-patch; name=a.patch
      Content-Disposition: inline; filename=a.patch

      +first
      --b
      Content-Type: text/plain; name=b.txt

      second
      --b
      Content-Type: text/plain; name=c.txt
      Content-Disposition: attachment

      third
      --b
      Content-Type: application/octet-stream; name=d.patch
      Content-Disposition: inline

      fourth
      --b--

      """)
    let blocks = message.readable().blocks
    let texts = blocks.compactMap { if case .text(let words) = $0 { words } else { nil } }
    let files = blocks.compactMap {
      if case .attachment(let file) = $0 { file.fileName } else { nil }
    }
    #expect(texts == ["Two patches.", "+first", "second"])
    #expect(files == ["a.patch", "b.txt", "c.txt", "d.patch"])
  }

  @Test(arguments: [("", ["words"]), ("; name=a.html", ["words"])])
  func `of two forms of a text one is shown, with names or without`(name: String, shown: [String]) {
    let message = SampleMessage(
      """
      Content-Type: multipart/alternative; boundary=b

      --b
      Content-Type: text/plain\(name)

      words
      --b
      Content-Type: text/html\(name)

      <p>words</p>
      --b--

      """)
    let texts = message.readable().blocks.compactMap {
      if case .text(let words) = $0 { words } else { nil }
    }
    #expect(texts == shown)
  }
}
