import IMAPClient
import IMAPWire
import MailCore
import Testing

struct DiscoveryTests {
  @Test func `decomposed names come out composed, and go back as they were`() throws {
    let (session, stream) = try openSession(
      then: """
        C: A2 LIST "" "*"
        S: * LIST () "/" "Bu&Awg-ro"
        S: A2 OK done
        C: A3 STATUS "Bu&Awg-ro" (MESSAGES UIDNEXT UIDVALIDITY)
        S: * STATUS "Bu&Awg-ro" (MESSAGES 1)
        S: A3 OK done
        """)
    let listing = try #require(try session.discover().first)
    #expect(
      Array(listing.name.text.unicodeScalars.map(\.value))
        == Array("Büro".unicodeScalars.map(\.value)))
    #expect(listing.name.text.unicodeScalars.count == 4)
    #expect(listing.status?.messages == 1)
    #expect(stream.rest == [])
  }

  @Test func `a mailbox that is listed twice counts once`() throws {
    let (session, _) = try openSession(
      "IMAP4rev1 LIST-STATUS LIST-EXTENDED",
      then: """
        C: A2 LIST…
        S: * LIST () "/" INBOX
        S: * LIST () "/" INBOX
        S: * STATUS inbox (MESSAGES 3)
        S: * STATUS other (MESSAGES 9)
        S: * LIST (\\Noselect) "/" ""
        S: A2 OK done
        """)
    let listings = try session.discover()
    #expect(listings.count == 1)
    #expect(listings.first?.status?.messages == 3)
  }

  @Test func `a LIST that is refused is an error`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 LIST "" "*"
        S: A2 NO [SERVERBUG] oops
        """)
    let error = #expect(throws: IMAPError.self) { try session.discover() }
    #expect(
      error == .refused(command: "LIST", TaggedResult(status: .no, code: .serverBug, text: "oops")))
  }

  @Test func `a name that leads outside is a name and nothing more`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 LIST "" "*"
        S: * LIST () "/" "../../x"
        S: * LIST () "/" "a\u{1B}[31m"
        S: A2 OK done
        C: A3 STATUS "../../x"…
        C: A4 STATUS {6+}
        C: a\u{1B}[31m (MESSAGES UIDNEXT UIDVALIDITY)
        S: A3 NO [CANNOT] no
        S: A4 NO no
        """)
    let listings = try session.discover()
    #expect(listings.map(\.name.text) == ["../../x", "a\u{1B}[31m"])
    #expect(listings.allSatisfy { $0.statusFailure != nil })
  }

  @Test func `STATUS answers that name a mailbox in other words still find it`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 LIST "" "*"
        S: * LIST () "/" "Sent Items"
        S: A2 OK done
        C: A3 STATUS "Sent Items"…
        S: * STATUS "SENT ITEMS" (MESSAGES 8)
        S: A3 OK done
        """)
    #expect(try session.discover().first?.status?.messages == 8)
  }

  @Test func `many STATUS commands are pipelined`() throws {
    var script = "C: A2 LIST \"\" \"*\"\n"
    for i in 0..<100 { script += "S: * LIST () \"/\" box\(i)\n" }
    script += "S: A2 OK done\n"
    for i in 0..<64 { script += "C: A\(i + 3) STATUS \"box\(i)\"…\n" }
    for i in 0..<36 {
      script += "S: * STATUS box\(i) (MESSAGES \(i))\nS: A\(i + 3) OK done\nC: A\(i + 67) STATUS…\n"
    }
    for i in 36..<100 { script += "S: * STATUS box\(i) (MESSAGES \(i))\nS: A\(i + 3) OK done\n" }
    let (session, stream) = try openSession(then: script)
    let listings = try session.discover()
    #expect(listings.map { $0.status?.messages } == (0..<100).map { $0 })
    #expect(stream.rest == [])
  }

  @Test func `sizes are asked of what holds something, and a refusal spoils nothing`() throws {
    let (session, stream) = try openSession(
      "IMAP4rev1 LIST-STATUS LIST-EXTENDED STATUS=SIZE",
      then: """
        C: A2 LIST…
        S: * LIST () "/" INBOX
        S: * STATUS INBOX (MESSAGES 3)
        S: * LIST () "/" empty
        S: * STATUS empty (MESSAGES 0)
        S: * LIST () "/" odd
        S: * STATUS odd (MESSAGES 9)
        S: A2 OK done
        C: A3 STATUS "INBOX" (SIZE)
        C: A4 STATUS "odd" (SIZE)
        S: * STATUS INBOX (SIZE 4294967296)
        S: A3 OK done
        S: A4 NO not now
        """)
    let listings = try session.discover()
    let sizes = session.sizes(of: listings, within: 60)
    #expect(sizes == [Array("INBOX".utf8): 4_294_967_296])
    #expect(stream.rest == [])
  }

  @Test func `a server that cannot tell sizes is not asked`() throws {
    let (session, stream) = try openSession(
      then: """
        C: A2 LIST "" "*"
        S: * LIST () "/" a
        S: A2 OK done
        C: A3 STATUS "a"…
        S: * STATUS a (MESSAGES 1)
        S: A3 OK done
        """)
    #expect(session.sizes(of: try session.discover(), within: 60) == [:])
    #expect(stream.rest == [])
  }
}
