import GRDB
import MailIndex
import Testing

@testable import Reading

@Suite struct AddressBookTests {
  private let tree: SampleTree

  init() throws {
    tree = try SampleTree()
    for (number, (from, to)) in [
      ("Me <me@example.org>", "Alice Example <alice@example.org>"),
      ("Me <me@example.org>", "Alice Example <alice@example.org>"),
      ("Malice <malice@example.com>", "Me <me@example.org>"),
      ("Álvaro <alvaro@example.com>", "Me <me@example.org>"),
      ("50% off <deals_now@example.com>", "Me <me@example.org>"),
    ].enumerated() {
      let folder = from.hasPrefix("Me") ? "Sent" : "INBOX"
      try tree.deliver(
        "personal/\(folder)/cur/\(number).host:2,S",
        SampleTree.message(id: "\(number)@x", from: from, to: to, minute: number))
    }
  }

  private func find(_ words: String) throws -> [String] {
    try tree.index().read { try AddressBook($0).entries(matching: words, limit: 10) }.map(\.address)
  }

  @Test func `those that one writes to come first and beginnings before middles`() throws {
    #expect(try find("al").first == "alice@example.org")
    #expect(try find("al").last == "malice@example.com")
  }

  @Test func `accents and case do not count`() throws {
    #expect(try find("alvaro") == ["alvaro@example.com"])
    #expect(try find("ÁLV") == ["alvaro@example.com"])
  }

  @Test func `what is a pattern in SQL is a letter here`() throws {
    #expect(try find("50%") == ["deals_now@example.com"])
    #expect(try find("s_n") == ["deals_now@example.com"])
    #expect(try find("%").count == 1)
    #expect(try find("zzz").isEmpty)
  }

  @Test func `readers get the lines that they expect`() throws {
    let entries = try tree.index().read {
      try AddressBook($0).entries(matching: "alice e", limit: 1)
    }
    let lines = AddressLines.lines(entries, hasHeader: true)
    #expect(lines.count == 2 && lines[0] == "1 address")
    let fields = lines[1].split(separator: "\t", omittingEmptySubsequences: false)
    #expect(fields.count == 3 && fields[0] == "alice@example.org" && fields[1] == "Alice Example")
    #expect(AddressLines.lines(entries, hasHeader: false).count == 1)
  }

  @Test func `a name cannot smuggle a tab or a line into the answer`() {
    let entry = AddressBook.Entry(
      address: "a@b\nc@d", name: "x\ty\r\nz\u{1B}[m", sent: 1, received: 0, lastDate: nil, rank: 1)
    let line = AddressLines.lines([entry], hasHeader: false)[0]
    #expect(line.split(separator: "\t").count == 3)
    #expect(!line.contains("\n") && !line.contains("\u{1B}"))
  }
}
