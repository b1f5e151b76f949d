import MIME
import MailIndex
import Testing

@testable import Reading

@Suite struct AttachmentSaverTests {
  private let tree: SampleTree

  init() throws { tree = try SampleTree() }

  @Test func `attachments are saved under safe names that were free`() throws {
    try tree.deliver(
      "INBOX/cur/1.host:2,",
      SampleTree.message(
        id: "a@x",
        attachments: [("../../evil.sh", "one"), ("a.txt", "two"), ("a.txt", "three"), ("", "four")])
    )
    let hit = try #require(try tree.hits("*").first)
    let out = tree.scratch.path + "/out"
    let results = AttachmentSaver(try SaveDirectory(out), root: tree.root).save(hit)
    #expect(results.allSatisfy { $0.error == nil })
    #expect(tree.scratch.names(in: "out") == ["a (2).txt", "a.txt", "evil.sh", "part-5"])
    #expect(tree.scratch.text(of: "out/evil.sh") == "one")
    #expect(tree.scratch.text(of: "out/a (2).txt") == "three")
    #expect(tree.scratch.names() == ["Mail", "out"])
  }

  @Test func `what may run is asked about, by its name or by what it is`() throws {
    try tree.deliver(
      "INBOX/cur/1.host:2,",
      SampleTree.message(
        id: "a@x",
        attachments: [
          ("setup.exe", "x"), ("report.pdf", "MZ..."), ("a.zip", "PK"), ("b.pdf", "%PDF-"),
        ]))
    let hit = try #require(try tree.hits("*").first)
    let out = tree.scratch.path + "/out"
    var asked: [String] = []
    let saver = AttachmentSaver(try SaveDirectory(out), root: tree.root) { name, harm in
      asked.append("\(name): \(harm)")
      return false
    }
    let results = saver.save(hit)
    #expect(asked == ["setup.exe: Windows executable", "report.pdf: a Windows program"])
    #expect(results.map(\.isDeclined) == [true, true, false, false])
    #expect(tree.scratch.names(in: "out") == ["a.zip", "b.pdf"])
  }

  @Test func `a message that is gone is told for each attachment`() throws {
    try tree.deliver(
      "INBOX/cur/1.host:2,", SampleTree.message(id: "a@x", attachments: [("a.txt", "x")]))
    var hit = try #require(try tree.hits("*").first)
    hit.files = []
    let results = AttachmentSaver(try SaveDirectory(tree.scratch.path + "/out"), root: tree.root)
      .save(hit)
    #expect(results.count == 1 && results[0].error != nil)
    #expect(tree.scratch.names(in: "out").isEmpty)
  }

  @Test func `a part without a name is called after its section and type`() {
    #expect(AttachmentSaver.fallback("1.2", .plainText) == "part-1-2.txt")
    #expect(AttachmentSaver.fallback("2:1", ContentType(media: "x", subtype: "y")) == "part-2-1")
    #expect(AttachmentSaver.fallback("../x", .plainText) == "part-1.txt")
  }
}
