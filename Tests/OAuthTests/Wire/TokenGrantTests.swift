import MailCore
import Testing

@testable import OAuth

@Suite struct TokenGrantTests {
  private func read(_ json: String) throws(TokenGrant.Malformed) -> Result<TokenGrant, OAuthRefusal>
  {
    try TokenGrant.read(Array(json.utf8))
  }

  private func grant(_ json: String) throws -> TokenGrant { try read(json).get() }

  @Test func `the standard's example is read`() throws {
    let grant = try grant(
      """
      {"access_token":"2YotnFZFEjr1zCsicMWpAA", "token_type":"Bearer", "expires_in":3600,
       "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA", "example_parameter":[{}]}
      """)
    #expect(
      grant
        == TokenGrant(
          accessToken: Secret("2YotnFZFEjr1zCsicMWpAA"),
          refreshToken: Secret("tGzv3JOkF0XG5Qx2TlKWIA"), lifetime: 3600))
  }

  @Test(arguments: [
    ("3599", 3599), ("\"3599\"", 3599), ("3599.9", 3599), ("null", 3600), ("\"soon\"", 3600),
    ("-5", 0), ("1e300", 2_592_000), ("\"inf\"", 3600), ("\"nan\"", 3600), ("{}", 3600),
    ("true", 3600), ("99999999999999999999", 2_592_000),
  ]) func `a lifetime is taken in whatever form, within bounds`(text: String, seconds: Int64) throws
  {
    let grant = try grant(#"{"access_token":"a","token_type":"bearer","expires_in":\#(text)}"#)
    #expect(grant.lifetime == seconds)
    #expect(grant.refreshToken == nil)
  }

  @Test func `a refusal is one, whatever stands beside it`() throws {
    guard
      case .failure(let refusal) = try read(
        #"{"error":"invalid_grant","error_description":"Bad Request\r\nTrace ID: 1","access_token":"a"}"#
      )
    else {
      Issue.record("no refusal")
      return
    }
    #expect(refusal == OAuthRefusal(code: "invalid_grant", words: "Bad Request"))
    #expect(refusal.text == "invalid_grant: Bad Request")
  }

  @Test(arguments: [
    "", "{", "[]", "null", "1", "\"access_token\"", "<html>Sign in to this network</html>",
    #"{}"#, #"{"access_token":1}"#, #"{"access_token":""}"#, #"{"access_token":"a b"}"#,
    #"{"access_token":"a\nb"}"#, #"{"access_token":"a\u0000"}"#, #"{"access_token":"ä"}"#,
    #"{"access_token":"a","token_type":"mac"}"#, #"{"access_token":"a","refresh_token":"b\r\n"}"#,
    #"{"access_token":["a"]}"#, #"{"access_token":null}"#,
  ]) func `what is no grant is none`(json: String) {
    #expect(throws: TokenGrant.Malformed.self) { try read(json) }
  }

  @Test func `a hostile answer neither crashes nor passes`() {
    let deep = String(repeating: "[", count: 30_000)
    for json in [
      #"{"access_token":"\#(String(repeating: "a", count: 20_000))"}"#, deep,
      #"{"x":\#(deep)"#, #"{"access_token":"a","expires_in":\#(deep)}"#,
    ] {
      #expect(throws: TokenGrant.Malformed.self) { try read(json) }
    }
    #expect(throws: TokenGrant.Malformed.self) {
      try TokenGrant.read([UInt8](repeating: 0xFF, count: 64 << 10))
    }
  }

  @Test func `what was sent does not come back in an error`() {
    let refusal = OAuthRefusal(
      code: "invalid_grant", words: "token refresh/0123456789 is old",
      hiding: [Secret("refresh/0123456789"), Secret("is")])
    #expect(refusal.words == "token … is old")
    let escaped = OAuthRefusal(
      code: "refresh%2F0123456789", words: nil, hiding: [Secret("refresh/0123456789")])
    #expect(escaped.code == "…")
  }

  @Test func `a long token that a server repeats leaves no piece of itself`() throws {
    let token = String(repeating: "0.AXsecret-", count: 120)
    let json = #"{"error":"invalid_grant","error_description":"AADSTS70000: \#(token) is old"}"#
    let answer = try TokenGrant.read(Array(json.utf8), hiding: [Secret(token)])
    guard case .failure(let refusal) = answer else {
      Issue.record("granted")
      return
    }
    #expect(refusal.words == "AADSTS70000: … is old")
  }
}

@Suite struct DeviceGrantTests {
  private func read(_ json: String) throws(TokenGrant.Malformed) -> Result<
    DeviceGrant, OAuthRefusal
  > { try DeviceGrant.read(Array(json.utf8)) }

  @Test func `the standard's example is read`() throws {
    let grant = try read(
      """
      {"device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", "user_code": "WDJB-MJHT",
       "verification_uri": "https://example.com/device",
       "verification_uri_complete": "https://example.com/device?user_code=WDJB-MJHT",
       "expires_in": 1800, "interval": 7}
      """
    ).get()
    #expect(grant.userCode == "WDJB-MJHT")
    #expect(grant.verificationURL == "https://example.com/device")
    #expect(grant.completeURL == "https://example.com/device?user_code=WDJB-MJHT")
    #expect((grant.lifetime, grant.interval) == (1800, 7))
  }

  @Test func `Google's own name is known, and five seconds are meant where none are said`() throws {
    let grant = try read(
      #"{"device_code":"d","user_code":"u","verification_url":"https://www.google.com/device"}"#
    ).get()
    #expect(grant.verificationURL == "https://www.google.com/device")
    #expect((grant.lifetime, grant.interval) == (900, 5))
  }

  @Test(arguments: [
    #"{"user_code":"u","verification_uri":"https://x.org"}"#,
    #"{"device_code":"d","verification_uri":"https://x.org"}"#,
    #"{"device_code":"d","user_code":"u"}"#,
    #"{"device_code":"d","user_code":"u","verification_uri":"http://x.org"}"#,
    #"{"device_code":"d","user_code":"u","verification_uri":"https://x.org/\u001b[2J"}"#,
    #"{"device_code":"d","user_code":"u","verification_uri":"javascript:alert(1)"}"#, "[]", "",
  ]) func `an address that nobody should open is not shown`(json: String) {
    #expect(throws: TokenGrant.Malformed.self) { try read(json) }
  }

  @Test func `it is asked at the pace that the server sets`() throws {
    let grant = try read(
      #"{"device_code":"d","user_code":"u","verification_uri":"https://x.org","interval":2,"expires_in":40}"#
    ).get()
    var polling = DevicePolling(grant)
    #expect(polling.begin() == .wait(seconds: 2))
    #expect(polling.refused(OAuthRefusal(code: "authorization_pending")) == .wait(seconds: 2))
    #expect(polling.refused(OAuthRefusal(code: "slow_down")) == .wait(seconds: 7))
    #expect(polling.refused(OAuthRefusal(code: "authorization_pending")) == .wait(seconds: 7))
    #expect(polling.unanswered() == .wait(seconds: 14))
    #expect(polling.refused(OAuthRefusal(code: "authorization_pending")) == .end(.codeExpired))
  }

  @Test func `a server that is down is never asked at a faster pace than its own`() throws {
    let grant = try read(
      #"{"device_code":"d","user_code":"u","verification_uri":"https://x.org","interval":400,"expires_in":9000}"#
    ).get()
    var polling = DevicePolling(grant)
    #expect(polling.begin() == .wait(seconds: 400))
    #expect(polling.unanswered() == .wait(seconds: 400))
  }

  @Test(arguments: ["expired_token", "access_denied", "invalid_client", "anything"])
  func `everything else ends it`(code: String) throws {
    let grant = try read(
      #"{"device_code":"d","user_code":"u","verification_uri":"https://x.org"}"#
    ).get()
    var polling = DevicePolling(grant)
    guard case .end(let error) = polling.refused(OAuthRefusal(code: code)) else {
      Issue.record("goes on")
      return
    }
    #expect(error.explanation.exitStatus == .refused)
  }

  @Test(arguments: [("0", 1), ("-3", 1), ("1e9", 900), ("\"x\"", 5), ("120", 120)])
  func `a pace that nobody can mean is bounded`(interval: String, seconds: Int64) throws {
    let grant = try read(
      #"{"device_code":"d","user_code":"u","verification_uri":"https://x.org","interval":\#(interval)}"#
    ).get()
    #expect(grant.interval == seconds)
  }
}
