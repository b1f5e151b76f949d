import Testing

@testable import Reading

@Suite struct ResultFormatTests {
  @Test func `every format is read and nothing else`() {
    #expect(ResultFormat(argument: "text") == .text)
    #expect(ResultFormat(argument: "jsonl") == .jsonl)
    #expect(ResultFormat(argument: "maildir=/tmp/a=b") == .maildir("/tmp/a=b"))
    #expect(ResultFormat(argument: "maildir=") == nil)
    #expect(ResultFormat(argument: "xml") == nil)
  }
}
