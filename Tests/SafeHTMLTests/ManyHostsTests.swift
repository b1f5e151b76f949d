import Testing

@testable import SafeHTML

/// Links whose words name more hosts than anybody reads.
struct ManyHostsTests {
  private let evil = WebAddress("http://evil.test/")

  @Test func `a name that is repeated is judged once`() throws {
    let label = Array(repeating: "ä.de", count: 2700).joined(separator: " ")
    var mark: LinkLabel.Mark?
    let time = try processorTime {
      mark = LinkLabel.mark(LinkWords(label), to: try #require(evil))
    }
    #expect(mark?.shown == "ä.de")
    #expect(time < .seconds(1))
  }

  @Test func `among too many the one that the link leads to hides none`() throws {
    let own = (0..<200).map { "a\($0).evil.test" }.joined(separator: " ")
    let mark = LinkLabel.mark(LinkWords(own + " www.bank.com"), to: try #require(evil))
    #expect(mark?.shown != nil)
    #expect(HostMentions(in: (0..<999).map { "x\($0).com" }.joined(separator: " ")).isCut)
  }
}
