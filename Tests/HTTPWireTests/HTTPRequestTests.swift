import MailCore
import Testing

@testable import HTTPWire

@Suite struct HTTPRequestTests {
  private func text(_ request: HTTPRequest) throws -> String {
    try request.encoded().withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a form is posted with everything that it needs`() throws {
    let address = try #require(HTTPAddress("https://login.example.org/o/token?a=b%20c#part"))
    var request = HTTPRequest(.post, address)
    request.fields = [HTTPField("Accept", "application/json")]
    request.authorization = Secret("Basic eDp5")
    request.body = Secret("code=hidden")
    #expect(
      try text(request)
        == "POST /o/token?a=b%20c HTTP/1.1\r\nHost: login.example.org\r\n"
        + "Accept: application/json\r\nAuthorization: Basic eDp5\r\nContent-Length: 11\r\n"
        + "Connection: close\r\n\r\ncode=hidden")
  }

  @Test func `a request without a body says so only where one is expected`() throws {
    let address = try #require(HTTPAddress("https://example.org"))
    #expect(
      try text(HTTPRequest(.get, address))
        == "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n")
    #expect(try text(HTTPRequest(.post, address)).contains("\r\nContent-Length: 0\r\n"))
  }

  @Test func `no line break gets into a request`() throws {
    let address = try #require(HTTPAddress("https://example.org/"))
    for value in ["a\r\nX: b", "a\nb", "a\rb", "a\0b"] {
      var request = HTTPRequest(.post, address)
      request.fields = [HTTPField("A", value)]
      #expect(throws: HTTPWireError.unsendable) { try request.encoded() }
      request.fields = [HTTPField(value, "b")]
      #expect(throws: HTTPWireError.unsendable) { try request.encoded() }
      request.fields = []
      request.authorization = Secret(value)
      #expect(throws: HTTPWireError.unsendable) { try request.encoded() }
    }
  }

  @Test func `a request does not print its secrets`() throws {
    var request = HTTPRequest(.post, try #require(HTTPAddress("https://example.org/")))
    request.authorization = Secret("hidden-one")
    request.body = Secret("hidden-two")
    var dumped = "\(request) \(String(reflecting: request)) \(try request.encoded())"
    dump(request, to: &dumped)
    #expect(!dumped.contains("hidden"))
  }

  @Test(arguments: [
    ("https://example.org", "example.org", 443, "/", "example.org"),
    ("HTTPS://Example.org:443/a", "Example.org", 443, "/a", "Example.org"),
    ("https://example.org:8443?q", "example.org", 8443, "/?q", "example.org:8443"),
    ("http://127.0.0.1:8080/a/b", "127.0.0.1", 8080, "/a/b", "127.0.0.1:8080"),
    ("http://localhost/", "localhost", 80, "/", "localhost"),
    ("http://localhost:443/", "localhost", 443, "/", "localhost:443"),
    ("https://[::1]/x", "::1", 443, "/x", "[::1]"),
    ("https://[2001:db8::1]:444/", "2001:db8::1", 444, "/", "[2001:db8::1]:444"),
    ("https://user:word@example.org/", "example.org", 443, "/", "example.org"),
    (
      "https://bücher.example/ä b", "xn--bcher-kva.example", 443, "/%C3%A4%20b",
      "xn--bcher-kva.example"
    ),
  ])
  func `addresses are taken apart`(
    url: String, host: String, port: UInt16, target: String, authority: String
  ) throws {
    let address = try #require(HTTPAddress(url))
    #expect(address.host == host && address.port == port)
    #expect(address.target == target && address.authority == authority)
    #expect(address.isEncrypted == url.lowercased().hasPrefix("https"))
  }

  @Test(arguments: [
    "", "example.org", "/a", "//example.org/a", "ftp://example.org/", "https:///a", "https://",
    "https://example.org:0/", "https://example.org:65536/", "https://exa%0d%0ample.org/",
    "https://[::1", "https://[]/", "mailto:a@example.org",
  ])
  func `what is no address is refused`(url: String) { #expect(HTTPAddress(url) == nil) }
}
