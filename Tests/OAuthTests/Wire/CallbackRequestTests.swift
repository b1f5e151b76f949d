import MailCore
import Testing

@testable import OAuth

@Suite struct CallbackRequestTests {
  private func callback(_ line: String, path: String = "/") -> CallbackRequest {
    CallbackRequest(head: Array((line + "\r\nHost: x").utf8), path: path, state: "s3cr+t")
  }

  @Test func `the code comes with the state that was sent`() {
    #expect(callback("GET /?code=4%2F0AX%2Db&state=s3cr%2Bt HTTP/1.1") == .code(Secret("4/0AX-b")))
    #expect(callback("GET /?state=s3cr%2bt&code=a&scope=x+y HTTP/1.0") == .code(Secret("a")))
    #expect(callback("GET /cb?code=a&state=s3cr%2Bt HTTP/1.1", path: "/cb") == .code(Secret("a")))
  }

  @Test(arguments: [
    "code=a", "code=a&state=", "code=a&state=s3cr%2B", "code=a&state=s3cr%2Btt",
    "code=a&state=S3cr%2Bt", "error=access_denied", "error=access_denied&state=other",
  ]) func `another state is another log-in's, whatever it brings`(query: String) {
    #expect(callback("GET /?\(query) HTTP/1.1") == .foreignState)
  }

  @Test func `a refusal is told, visible and bounded`() {
    let line =
      "GET /?error=access_denied%1B&error_description=\(String(repeating: "no", count: 900))&state=s3cr%2Bt"
    guard case .refused(let refusal) = callback(line + " HTTP/1.1") else {
      Issue.record("not refused")
      return
    }
    #expect(refusal.code == "access_denied\\u{1b}")
    #expect(refusal.words?.count == 300)
  }

  @Test(arguments: ["/favicon.ico", "/cb", "//", "/x?code=a&state=s3cr%2Bt", "*"])
  func `other paths are none of ours`(target: String) {
    #expect(callback("GET \(target) HTTP/1.1") == .otherPath)
  }

  @Test(arguments: ["POST", "HEAD", "get", "OPTIONS"])
  func `only GET brings an answer`(method: String) {
    #expect(callback("\(method) /?code=a&state=s3cr%2Bt HTTP/1.1") == .otherMethod)
  }

  @Test(arguments: [
    "", "GET", "GET /", "GET / HTTP/2", "GET /?code=a&state=s3cr%2Bt HTTP/1.1 x",
    "GET /?code=%zz&state=s3cr%2Bt HTTP/1.1", "GET /?code=%2 HTTP/1.1",
    "GET /?code=a&code=b&state=s3cr%2Bt HTTP/1.1",
    "GET /?code=a&state=s3cr%2Bt&state=s3cr%2Bt HTTP/1.1", "GET /?state=s3cr%2Bt HTTP/1.1",
    "GET /?code=&state=s3cr%2Bt HTTP/1.1", "\u{16}\u{3}\u{1}",
  ]) func `what is not understood brings nothing`(line: String) {
    #expect(callback(line) == .malformed)
  }

  @Test func `no bytes can harm`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let count = Int.random(in: 0...60, using: &generator)
      let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let request = CallbackRequest(
        head: Array("GET /?".utf8) + noise + Array(" HTTP/1.1".utf8), path: "/", state: "s3cr+t")
      if case .code = request { Issue.record("a code out of noise: \(noise)") }
    }
  }

  @Test func `texts compare whole`() {
    #expect(CallbackRequest.areSame([], []))
    #expect(CallbackRequest.areSame([1, 2], [1, 2]))
    #expect(!CallbackRequest.areSame([1, 2], [1, 3]))
    #expect(!CallbackRequest.areSame([1, 2], [1, 2, 3]))
  }

  @Test func `a form comes back as it was sent`() throws {
    var form = FormText(["a b": "c&d=e", "ü": "%+"])
    form.add("secret", Secret([0, 255, 32]))
    let fields = try #require(FormText.decode(form.encoded))
    #expect(fields == ["a b": Array("c&d=e".utf8), "ü": Array("%+".utf8), "secret": [0, 255, 32]])
    #expect(form.secrets == [Secret([0, 255, 32])])
  }
}
