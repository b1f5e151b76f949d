import Foundation
import MailCore
import Testing

struct FolderPathTests {
  private func path(_ text: String) throws -> FolderPath { try #require(FolderPath(text: text)) }

  @Test(arguments: ["..", "a/../b", "/a", "a/", "a//b", ".", "a/\0"])
  func `paths that lead elsewhere are none`(text: String) throws {
    #expect(FolderPath(text: text) == nil)
    let stored = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([FolderPath].self, from: stored)
    }
  }

  @Test(arguments: ["", "a", ".a.b", "a/b", "a/\u{301}b"])
  func `they are kept as text`(text: String) throws {
    let path = try path(text)
    #expect(path.text.utf8.elementsEqual(text.utf8))
    let stored = try JSONEncoder().encode([path])
    #expect(try JSONDecoder().decode([FolderPath].self, from: stored) == [path])
  }

  @Test func `paths are cut and compared byte by byte`() throws {
    // An accent that stands first in a name is no part of the slash before it.
    #expect(try path("a/\u{301}b").components.count == 2)
    #if os(Linux)
      #expect(try !path("caf\u{E9}/x").isInside(path("cafe\u{301}")))
    #endif
  }

  @Test func `a folder moves with the directory that it is, or that is above it`() throws {
    let (old, new) = (try path("a/b"), try path("c"))
    #expect(try path("a/b").moved(from: old, to: new) == path("c"))
    #expect(try path("a/b/x/y").moved(from: old, to: new) == path("c/x/y"))
    for other in ["a", "a/bb", "b", "", "A/b"] {
      #expect(try path(other).moved(from: old, to: new) == nil, "\(other)")
    }
  }

  @Test func `below the root each is in its account's directory`() throws {
    #expect(try path("a/b").text(in: "personal") == "personal/a/b")
    #expect(FolderPath.account.text(in: "personal") == "personal")
  }
}
