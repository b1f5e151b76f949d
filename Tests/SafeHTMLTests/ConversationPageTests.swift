import SafeHTML
import Testing

struct ConversationPageTests {
  private static func document(_ messages: [PageMessage], subject: String = "S") -> String {
    var page = ConversationPage()
    page.subject = subject
    page.isOfOne = messages.count == 1
    return String(decoding: page.document(messages), as: UTF8.self)
  }

  @Test func `the page forbids everything but its own pictures and styles`() {
    let page = Self.document([PageMessage()])
    #expect(
      page.contains(
        "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\""
      ))
    #expect(page.contains("<meta name=\"referrer\" content=\"no-referrer\">"))
    #expect(page.contains("<meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">"))
    #expect(page.hasPrefix("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">"))
  }

  @Test func `nothing of a message is markup`() {
    let evil = "</title><script>x</script>\"'`&"
    var message = PageMessage()
    message.from = evil
    message.date = evil
    message.head = [("To", evil)]
    message.warnings = ["\(evil)"]
    message.notes = ["\(own: evil)"]
    message.snippet = evil
    message.blocks = [.text(evil), .quoted(evil), .signature(evil), .message([("From", evil)])]
    message.attachments = [.init(name: evil, type: evil, size: evil, warning: evil)]
    for messages in [[message], [message, message]] {
      let page = Self.document(messages, subject: evil)
      #expect(!page.contains("<script"))
      #expect(page.components(of: "</title>") == 1)
    }
  }

  /// Each value is an island: a browser lets no letter of it change the place of another.
  @Test func `no value turns the page's own words round`() {
    let evil = "gpj.\u{202E}exe\u{2067}\u{061C}"
    let shown = "gpj.\\u{202e}exe\\u{2067}\\u{61c}"
    var message = PageMessage()
    message.from = evil
    message.head = [("To", evil)]
    message.warnings = ["The file \(evil) is one."]
    message.notes = ["\(own: 3) from \(Sentence.list([evil, evil]))."]
    message.snippet = evil
    message.blocks = [
      .text("\(evil)\n\thttp://a.example/\u{202E}b"), .quoted(evil), .message([("From", evil)]),
    ]
    message.attachments = [.init(name: evil, type: evil, size: "1 kB", warning: evil)]
    for messages in [[message], [message, message]] {
      let page = Self.document(messages, subject: evil)
      #expect(
        !page.unicodeScalars.contains { (0x202A...0x202E).contains($0.value) || $0.value == 0x2067 }
      )
      #expect(
        page.contains("<title>\(shown)</title>") && page.contains("<h1><bdi>\(shown)</bdi></h1>"))
      #expect(page.contains("<b><bdi>\(shown)</bdi></b>"))
      #expect(page.contains("<span>To</span> <bdi>\(shown)</bdi>"))
      #expect(page.contains("<span>From</span> <bdi>\(shown)</bdi>"))
      #expect(page.contains("The file <bdi>\(shown)</bdi> is one."))
      #expect(page.contains("3 from <bdi>\(shown)</bdi>, <bdi>\(shown)</bdi>."))
      #expect(page.contains("<em><bdi>\(shown)</bdi></em>"))
      #expect(messages.count == 1 || page.contains("<div class=\"snippet\"><bdi>\(shown)</bdi>"))
      #expect(
        page.contains(
          "<div class=\"text\" dir=\"auto\">\(shown)\n\t<a href=\"http://a.example/%E2%80%AEb\""))
    }
    // So is what we say beside a link of the mail's.
    #expect(Self.document([]).contains("unicode-bidi:isolate;direction:ltr}"))
  }

  @Test func `nobody's name stands by another's address`() {
    var message = PageMessage()
    message.from = "שלום <x@evil.test>"
    message.head = [("To", "דוד <a@b.example>, Carol <c@b.example>"), ("Subject", "a, b")]
    let page = Self.document([message])
    #expect(page.contains("<b><bdi>שלום</bdi> &lt;<bdi>x@evil.test</bdi>&gt;</b>"))
    #expect(
      page.contains(
        "<bdi>דוד</bdi> &lt;<bdi>a@b.example</bdi>&gt;, <bdi>Carol</bdi> &lt;<bdi>c@b.example</bdi>&gt;</div>"
      ))
    #expect(page.contains("<span>Subject</span> <bdi>a, b</bdi>"))
  }

  @Test func `an address in plain text that hides its host carries a mark`() {
    var message = PageMessage()
    message.blocks = [.text("see https://bank.com@evil.test/ now")]
    #expect(
      Self.document([message]).contains(
        " class=\"mirror-elsewhere\" title=\"evil.test\">https://bank.com@evil.test/</a>"
          + "<small class=\"mirror-leads\">→ evil.test</small> now"))
  }

  @Test func `read messages are folded, and the open one is not`() {
    var read = PageMessage()
    read.isOpen = false
    let page = Self.document([read, PageMessage()])
    #expect(page.components(of: "<details class=\"message\">") == 1)
    #expect(page.components(of: "<details class=\"message\" open>") == 1)
  }

  @Test func `addresses in plain text become links`() {
    var message = PageMessage()
    message.blocks = [
      .text("see (https://a.example/b_(c)), or <http://d.example/?e=1&f>. http:// is none")
    ]
    let page = Self.document([message])
    #expect(
      page.contains(
        "see (<a href=\"https://a.example/b_(c)\" rel=\"noopener noreferrer nofollow\">https://a.example/b_(c)</a>), or"
      ))
    #expect(page.contains("<a href=\"http://d.example/?e=1&amp;f\""))
    #expect(page.contains("http:// is none"))
  }

  @Test func `a long text is written piece by piece, and is the same as in one`() {
    let line = "see https://a.example/b?c, “http://d.example/ü” and <words>\n"
    var message = PageMessage()
    message.blocks = [.text(String(repeating: line, count: 10_000)), .quoted(line)]
    var sizes: [Int] = []
    var written: [UInt8] = []
    ConversationPage().write(message) {
      sizes.append($0.count)
      written += $0
    }
    #expect(sizes.count > 8 && sizes.allSatisfy { $0 < 1 << 19 })
    let page = String(decoding: written, as: UTF8.self)
    #expect(page.components(of: "<a href=\"https://a.example/b?c\"") == 10_001)
    #expect(page.components(of: "<a href=\"http://d.example/%C3%BC\"") == 10_001)
    #expect(page.components(of: "&lt;words&gt;\n") == 10_001)
    #expect(page.components(of: "<div class=\"text\" dir=\"auto\">") == 2)
  }

  /// Marks make a page larger: where it needs more memory than it may, nothing of it is shown.
  @Test func `a page of many links that mislead fits its budget, or is left out`() {
    func page(_ count: Int) -> SafePage {
      var limits = PageLimits()
      limits.treeBytes = 1 << 20
      let links = (0..<count).map { "<a href=\"http://evil\($0).test/\">www.host\($0).test</a>" }
      return Array(links.joined().utf8).withUnsafeBytes { Sanitiser.sanitise($0, limits: limits) }
    }
    let many = page(1100)
    #expect(many.refusal == "written anew it cannot be read again as it is" && many.html.isEmpty)
    #expect(many.misleadingLinks.count == 1000)
    #expect(page(200).refusal == nil)
  }

  @Test func `text that was set for letters of one width stays so`() {
    for (text, isSet) in [
      ("a\n@@ -1 +1 @@\nb", true), ("diff --git a b", true), ("a\ndiff --git a b\n", true),
      ("plain\nwords @@ diff --git", false), ("a    b\nc    d\ne    f", true),
    ] {
      var message = PageMessage()
      message.blocks = [.text(text)]
      #expect(Self.document([message]).contains("class=\"text set\"") == isSet)
    }
  }

  @Test func `a page of colours keeps its light ground`() {
    for (html, isPaper) in [("<p style='color:#333'>x", true), ("<p>x", false)] {
      var message = PageMessage()
      message.blocks = [.page(safePage(html))]
      #expect(Self.document([message]).contains("class=\"mail paper\"") == isPaper)
    }
  }

  @Test func `quotations of mail programs are folded if there is something else`() {
    let quote = "<div class=gmail_quote>On x wrote: <blockquote>old</blockquote></div>"
    #expect(
      safe("<p>new</p>" + quote).contains(
        "<details class=\"mirror-quote\"><summary></summary><div>On x"))
    #expect(!safe(quote).contains("<details"))
    #expect(
      !safe("<p>see</p><div class=gmail_quote>---------- Forwarded message ---------<br>x</div>")
        .contains("<details"))
    #expect(
      safe("<p>new</p><div id=divRplyFwdMsg>From: x</div><p>old</p>").hasSuffix(
        "<p>old</p></details>"))
  }
}

extension String {
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
