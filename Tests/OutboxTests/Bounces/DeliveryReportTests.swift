import Foundation
import Queue
import Testing

@testable import Outbox

/// What servers report of mail that did not arrive.
@Suite struct DeliveryReportTests {
  /// As Postfix 3.7 writes them, with the header of the message alone.
  private let postfix = """
    From: MAILER-DAEMON@mx.example.org (Mail Delivery System)
    Subject: Undelivered Mail Returned to Sender
    Message-Id: <report1@mx.example.org>
    Content-Type: multipart/report; report-type=delivery-status;
    \tboundary="B1"

    This is a MIME-encapsulated message.

    --B1
    Content-Type: text/plain; charset=us-ascii

    <nobody@x.org>: no such user

    --B1
    Content-Description: Delivery report
    Content-Type: message/delivery-status

    Reporting-MTA: dns; mx.example.org
    Original-Envelope-Id: 1F2E3D
    X-Postfix-Queue-ID: 4F2C

    Final-Recipient: rfc822; Nobody@X.org
    Original-Recipient: rfc822;nobody@x.org
    Action: failed
    Status: 5.1.1
    Remote-MTA: dns; there
    Diagnostic-Code: smtp; 550 5.1.1
        <nobody@x.org>: no such user

    Final-Recipient: rfc822; slow@x.org
    Action: delayed
    Status: 4.4.1

    --B1
    Content-Type: text/rfc822-headers

    From: alice@example.org
    Message-ID: <sent@example.org>

    --B1--

    """

  private func report(_ text: String) -> DeliveryReport? {
    Array(text.utf8).withUnsafeBytes { DeliveryReport($0) }
  }

  @Test func `a report names the message, who did not get it, and why`() throws {
    let found = try #require(report(postfix))
    #expect(found.id == "report1@mx.example.org")
    #expect(found.envelopeID == "1F2E3D" && found.messageID == "sent@example.org")
    let words = "550 5.1.1 <nobody@x.org>: no such user"
    #expect(found.failures == [.init(addresses: ["nobody@x.org"], words: words)])
    #expect(report(postfix.replacing("\n", with: "\r\n")) == found)
  }

  @Test func `a delay, a success and other kinds of mail are no failure`() {
    for action in ["delayed", "delivered", "relayed", "expanded", ""] {
      #expect(report(postfix.replacing("Action: failed", with: "Action: \(action)")) == nil)
    }
    #expect(report(postfix.replacing("multipart/report", with: "multipart/mixed")) == nil)
    #expect(report("Subject: Undelivered Mail\n\nAction: failed\nFinal-Recipient: a@b\n") == nil)
    #expect(report("") == nil)
  }

  @Test func `a report that is cut off, or brings the whole message, is read as far as it goes`()
    throws
  {
    let headers = "Content-Type: text/rfc822-headers"
    let end = try #require(postfix.range(of: "--B1\n\(headers)")).lowerBound
    let cut = try #require(report(String(postfix[..<end])))
    #expect(cut.messageID == nil && cut.envelopeID == "1F2E3D")
    let whole = postfix.replacing(headers, with: "Content-Type: message/rfc822")
    #expect(report(whole)?.messageID == "sent@example.org")
    let named = "Message-Id: <report1@mx.example.org>\n"
    let unnamed = try #require(report(postfix.replacing(named, with: "")))
    #expect(!unnamed.id.isEmpty && unnamed.id != report(postfix)?.id)
  }

  @Test func `it is about the message that it names, and those of its recipients`() throws {
    let lab = try OutboxLab()
    let first = try lab.accept(
      "Message-ID: <other@example.org>\nSubject: 1\n\nx\n", ["bob@example.org"]
    ).id
    let second = try lab.accept(
      "Message-ID: <sent@example.org>\nSubject: 2\n\nx\n", ["bob@example.org", "Nobody@x.org"]
    ).id
    let entries = try lab.entries()
    var found = try #require(report(postfix))
    #expect(found.entry(among: entries)?.id == second)
    found.envelopeID = first.text
    #expect(found.entry(among: entries)?.id == first)
    found.envelopeID = "unknown"
    let entry = try #require(found.entry(among: entries))
    #expect(entry.id == second)
    #expect(found.failed(of: entry) == [1: "550 5.1.1 <nobody@x.org>: no such user"])
    // Forwarded: the address at the end is none of ours.
    found.failures[0].addresses = ["elsewhere@y.org"]
    #expect(found.failed(of: entry) == [:])
    let single = try #require(entries.first { $0.id == first })
    #expect(found.failed(of: single) == [:])
    found.envelopeID = first.text
    #expect(found.failed(of: single).keys.sorted() == [0])
  }

  @Test func `of several with one Message-ID it is about the one that has the recipient`() throws {
    let lab = try OutboxLab()
    let text = "Message-ID: <sent@example.org>\nSubject: 1\n\nx\n"
    for recipients in [["bob@example.org"], ["eve@x.org", "bob@y.org"]] {
      _ = try lab.accept(text, recipients)
    }
    let found = try #require(report(postfix))
    #expect(try found.entry(among: lab.entries()) == nil)
    let right = try lab.accept(text, ["nobody@x.org"]).id
    #expect(try found.entry(among: lab.entries())?.id == right)
  }

  @Test func `a second part without an envelope's name takes none away`() throws {
    let more = """
      --B1
      Content-Type: message/delivery-status

      Reporting-MTA: dns; other

      --B1--

      """
    #expect(report(postfix.replacing("--B1--\n", with: more))?.envelopeID == "1F2E3D")
  }

  @Test func `what is kept of a report is bounded`() throws {
    let long = String(repeating: "x", count: 251)
    let found = try #require(report(postfix.replacing("report1@", with: "\(long)@")))
    #expect(found.id.utf8.count <= 16)
    #expect(found.id != report(postfix.replacing("report1@", with: "\(long)y@"))?.id)
    let marks = "e" + String(repeating: "\u{301}", count: 5000)
    let words = try #require(report(postfix.replacing("no such user", with: marks)))
      .failures[0].words
    #expect(words.unicodeScalars.count == 400)
  }
}
