import MailCore
import SASL
import Testing
import Transport

struct MechanismTests {
  @Test func `PLAIN is one message of three parts`() throws {
    var plain = try exchange(.plain, user: "tim", password: "tanstaaftanstaaf")
    #expect(try text(plain.initialResponse()) == "\0tim\0tanstaaftanstaaf")
    var other = try exchange(.plain, user: "Kurt", password: "xipj3plmq", authorization: "Ursel")
    #expect(try text(other.respond(to: Array("Go ahead".utf8))) == "Ursel\0Kurt\0xipj3plmq")
    #expect(throws: SASLError.self) { _ = try other.respond(to: []) }
  }

  @Test func `PLAIN refuses what would shift its parts`() {
    #expect(throws: SASLError.self) { _ = try exchange(.plain, user: "a\0b") }
    #expect(throws: SASLError.self) { _ = try exchange(.plain, password: "a\0b") }
  }

  @Test func `LOGIN answers two questions, whatever their words`() throws {
    var login = try exchange(.login, user: "tim", password: "secret")
    #expect(try login.initialResponse() == nil)
    #expect(try text(login.respond(to: Array("Benutzername".utf8))) == "tim")
    #expect(try text(login.respond(to: [])) == "secret")
    #expect(throws: SASLError.self) { _ = try login.respond(to: Array("Password:".utf8)) }
  }

  @Test func `CRAM-MD5 answers as in RFC 2195`() throws {
    var cram = try exchange(.cramMD5, user: "tim", password: "tanstaaftanstaaf")
    #expect(try cram.initialResponse() == nil)
    #expect(throws: SASLError.self) { try cram.succeeded() }
    let answer = try cram.respond(
      to: Array("<1896.697170952@postoffice.reston.mci.net>".utf8))
    #expect(text(answer) == "tim b913a602c7eda7a495b4e6e7334d3890")
    try cram.succeeded()
    #expect(throws: SASLError.self) { _ = try cram.respond(to: [65]) }
  }

  @Test func `OAUTHBEARER speaks as in RFC 7628`() throws {
    var oauth = try exchange(
      .oauthBearer, user: "user@example.com",
      password: "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==")
    let sent = try #require(try oauth.initialResponse())
    #expect(
      text(Base64.encode(sent))
        == "bixhPXVzZXJAZXhhbXBsZS5jb20sAWhvc3Q9c2VydmVyLmV4YW1wbGUuY29tAXBvcnQ9MTQzAWF1dGg9QmVhcmVyIHZGOWRmdDRxbVRjMk52YjNSbGNrQmhiSFJoZG1semRHRXVZMjl0Q2c9PQEB"
    )
    let answer = try oauth.respond(to: Array(#"{"status":"invalid_token"}"#.utf8))
    #expect(answer == [1])
    #expect(oauth.serverError == #"{"status":"invalid_token"}"#)
  }

  @Test func `XOAUTH2 sends user and token, and an empty line after a refusal`() throws {
    var oauth = try exchange(.xoauth2, user: "someuser@example.com", password: "ya29.vF9dft4")
    #expect(
      try text(oauth.initialResponse())
        == "user=someuser@example.com\u{1}auth=Bearer ya29.vF9dft4\u{1}\u{1}")
    #expect(try oauth.respond(to: Array(#"{"status":"400"}"#.utf8)).isEmpty)
    #expect(oauth.serverError?.contains("400") == true)
  }

  @Test(arguments: ["", "two words", "line\nfeed", "tab\t", "umlaut\u{FC}"])
  func `a token that is no single word is refused before it is sent`(token: String) {
    #expect(throws: SASLError.self) { _ = try exchange(.xoauth2, password: token) }
    #expect(throws: SASLError.self) { _ = try exchange(.oauthBearer, password: token) }
  }

  @Test func `EXTERNAL sends the identity, if any`() throws {
    var external = try exchange(.external)
    #expect(try external.initialResponse() == [])
    var named = try exchange(.external, authorization: "fred@example.com")
    #expect(try text(named.respond(to: [])) == "fred@example.com")
  }

  @Test func `no description and no error shows the password`() throws {
    for mechanism in SASLMechanism.allCases where !mechanism.isChannelBound {
      let exchange = try exchange(mechanism, password: "pencil9")
      #expect(!String(reflecting: exchange).contains("pencil9"))
      var dumped = ""
      dump(exchange, to: &dumped)
      #expect(!dumped.contains("pencil9"))
    }
  }
}
