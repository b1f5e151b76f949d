/// What the browser shows after it brought something. Repeats nothing of what it brought.
struct CallbackPage {
  private let status: String
  private let title: String
  private let words: String

  init(_ request: CallbackRequest) {
    switch request {
    case .code:
      (status, title) = ("200 OK", "mirror has the answer")
      words = "Go back to the terminal; this page can be closed."
    case .refused:
      (status, title) = ("200 OK", "The log-in was refused")
      words = "The terminal says why; this page can be closed."
    case .foreignState:
      (status, title) = ("400 Bad Request", "This belongs to another log-in")
      words = "Open the address that the terminal shows now."
    case .otherPath: (status, title, words) = ("404 Not Found", "Not found", "")
    case .otherMethod: (status, title, words) = ("405 Method Not Allowed", "Not allowed", "")
    case .malformed: (status, title, words) = ("400 Bad Request", "Not understood", "")
    }
  }

  var bytes: [UInt8] {
    let page = """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>mirror</title>\
      <h1>\(title)</h1><p>\(words)</p></html>

      """
    let head = [
      "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8",
      "Content-Length: \(page.utf8.count)", "Connection: close", "Cache-Control: no-store",
      "Referrer-Policy: no-referrer", "Content-Security-Policy: default-src 'none'",
      "X-Content-Type-Options: nosniff", "", "",
    ]
    return Array((head.joined(separator: "\r\n") + page).utf8)
  }
}
