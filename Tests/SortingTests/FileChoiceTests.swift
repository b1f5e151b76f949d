import MailCore
import Testing

@testable import Sorting

/// Which files of the messages found a query means.
@Suite struct FileChoiceTests {
  private func lab() throws -> SortingLab {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/a1.host:2,FS", "a", subject: "Apple")
    try lab.deliver("Archive/cur/a2.host:2,S", "a", subject: "Apple")
    try lab.deliver("Lists/dev/cur/b1.host:2,S", "b", subject: "Berry")
    try lab.deliver("INBOX/cur/c1.host:2,S", "c", subject: "Cherry")
    try lab.deliver("Archive/cur/c2.host:2,S", "c", subject: "Cherry")
    return lab
  }

  @Test(arguments: [
    ("apple", ["Archive a2", "INBOX a1"]),
    ("folder:INBOX", ["INBOX a1", "INBOX c1"]),
    ("folder:INBOX apple", ["INBOX a1"]),
    ("folder:INBOX folder:Archive apple", ["Archive a2", "INBOX a1"]),
    ("folder:INBOX or folder:Lists/dev", ["INBOX a1", "INBOX c1", "Lists/dev b1"]),
    // A branch that names no folder means all files of what it finds.
    ("folder:INBOX or berry", ["INBOX a1", "INBOX c1", "Lists/dev b1"]),
    ("(folder:INBOX apple) or cherry", ["Archive c2", "INBOX a1", "INBOX c1"]),
    ("(folder:INBOX or berry) subject:berry", ["Lists/dev b1"]),
    // The folder of another branch is none of this message's.
    ("(folder:INBOX apple) or (folder:Archive cherry)", ["Archive c2", "INBOX a1"]),
    ("folder:INBOX (cherry or (folder:Archive apple))", ["Archive a2", "INBOX a1", "INBOX c1"]),
    // What is negated names none.
    ("-folder:Lists/dev apple", ["Archive a2", "INBOX a1"]),
    ("-folder:INBOX or apple", ["Archive a2", "INBOX a1", "Lists/dev b1"]),
    ("not (folder:INBOX or folder:Archive)", ["Lists/dev b1"]),
  ]) func `folders limit the copies of what the same branch finds`(
    query: String, expected: [String]
  )
    throws
  {
    let files = try lab().files(query).map { file in
      "\(file.folderName) \(String(decoding: file.file.base, as: UTF8.self).prefix { $0 != "." })"
    }
    #expect(files.sorted() == expected)
  }
}
