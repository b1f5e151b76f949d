import Settings
import Testing

@testable import Outbox

struct SentCopyRuleTests {
  @Test(arguments: [
    ("smtp.gmail.com", SentCopyRule.provider), ("smtp.office365.com", .provider),
    ("SMTP-mail.outlook.com", .provider), ("smtp.example.org", .us),
    ("smtp.gmail.com.example.org", .us),
  ])
  func `Gmail and Outlook file copies themselves, and the configuration has the last word`(
    host: String, rule: SentCopyRule
  ) {
    var server = ServerSettings(host: host, port: 587, user: "u", secret: .none)
    #expect(SentCopyRule(server) == rule)
    server.sentCopy = .append
    #expect(SentCopyRule(server) == .us)
    server.sentCopy = .server
    #expect(SentCopyRule(server) == .provider)
  }
}
