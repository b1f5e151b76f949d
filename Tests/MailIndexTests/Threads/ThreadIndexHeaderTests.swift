import Testing

@testable import MailIndex

struct ThreadIndexHeaderTests {
  private func header(_ value: String) -> ThreadIndexHeader? {
    ThreadIndexHeader(value: value.utf8)
  }

  @Test func `replies share 22 bytes and add five a level`() throws {
    let root = try #require(header("Acnk7AtURXtWl9jTRdGX7mDGIxfHtw=="))
    let reply = try #require(header("Acnk7AtURXtWl9jTRdGX7mDGIxfHtwAAAo8g"))
    let again = try #require(header("Acnk7AtURXtWl9jTRdGX7mDGIxfHtwAAAo8gqFQACz"))
    #expect(root.bytes.count == 22)
    #expect(root.parent == nil)
    #expect(reply.bytes.count == 27)
    #expect(reply.conversation == root.bytes[...])
    #expect(reply.parent == root.bytes[...])
    // Cut short in the wild: still below the reply.
    #expect(again.parent == reply.bytes[...])
  }

  @Test func `folding leaves blanks that do not count`() throws {
    let folded = try #require(header(" Acnk7AtURXtWl9jTRdGX\r\n\t7mDGIxfHtw==\r\n"))
    #expect(folded.bytes == header("Acnk7AtURXtWl9jTRdGX7mDGIxfHtw==")?.bytes)
  }

  @Test(arguments: [
    "", "AAAA", "Acnk7AtURXtWl9jTRdGX7mDGIxfH", "Acnk7AtURXtWl9jTRdGX7mDGIx;Htw==",
    "AcZJXMEgAAAAAAAAAAAAAAAAAAAAAA==",
  ])
  func `what names no conversation is none`(value: String) {
    #expect(header(value) == nil)
  }

  @Test func `a value of any length stays bounded`() throws {
    let long = try #require(header("Ac" + String(repeating: "nk7A", count: 100_000)))
    #expect(long.bytes.count == 522)
  }
}
