import MailCore
import Testing

@testable import OAuth

@Suite struct TokenRecordTests {
  private var record: TokenRecord {
    var record = TokenRecord(tokenURL: "https://x.org/t", clientID: "id", user: "me")
    record.take(
      TokenGrant(accessToken: Secret("a"), refreshToken: nil, lifetime: 3600), at: 1_000_000)
    return record
  }

  @Test(arguments: [
    (1_000_000, true), (1_003_539, true), (1_003_540, false), (1_003_600, false),
    (1_010_000, false), (999_700, true), (999_699, false), (0, false), (Int64.max - 60, false),
  ]) func `a token is good until a minute before its end`(now: Int64, isGood: Bool) {
    #expect((record.usableToken(at: now, insteadOf: nil) != nil) == isGood)
  }

  @Test func `a token that was refused is good no more, whatever its time`() {
    #expect(record.usableToken(at: 1_000_000, insteadOf: Secret("a")) == nil)
    #expect(record.usableToken(at: 1_000_000, insteadOf: Secret("b")) == Secret("a"))
    var marked = record
    marked.needsLogin = true
    #expect(marked.usableToken(at: 1_000_000, insteadOf: nil) == nil)
  }

  @Test func `a record comes back as it was written`() throws {
    var record = record
    record.refreshToken = Secret("r")
    record.needsLogin = true
    #expect(TokenRecord(bytes: try record.bytes()) == record)
  }

  @Test(arguments: [
    "", "{}", "[]", "null", #"{"version":2}"#,
    #"{"version":2,"token_url":"","client_id":"","user":"","obtained":0,"expires":0,"needs_login":false}"#,
  ]) func `what is none of ours is no record`(text: String) {
    #expect(TokenRecord(bytes: Array(text.utf8)) == nil)
  }

  @Test func `times that nobody can mean are bounded`() throws {
    let text = """
      {"version":1,"token_url":"","client_id":"","user":"","access_token":"a",
       "obtained":-9223372036854775808,"expires":9223372036854775807,"needs_login":false}
      """
    let record = try #require(TokenRecord(bytes: Array(text.utf8)))
    #expect(record.usableToken(at: 5_000_000_000, insteadOf: nil) == Secret("a"))
    #expect(record.usableToken(at: 1 << 41, insteadOf: nil) == nil)
  }
}
