import MailCore
import Settings
import Testing

@Suite struct FolderPatternsTests {
  @Test(arguments: [
    (["*"], "Archive/2024", true), (["%"], "Archive", true), (["%"], "Archive/2024", false),
    (["Archive/%"], "Archive/2024", true), (["Archive/%"], "Archive/2024/May", false),
    (["Archive/*"], "Archive/2024/May", true), (["Archive*"], "Archive", true),
    (["Archive/*"], "Archive", false), (["A*e"], "Archive", true), (["A*x"], "Archive", false),
    (["*", "!Junk"], "Junk", false), (["*", "!Junk"], "junk", true),
    (["*", "!Junk"], "Junk/a", true),
    (["!Junk"], "Junk", false), (["!Junk"], "Other", true), (["!Junk", "Junk"], "Junk", true),
    (["*", "!Lists/*", "Lists/swift"], "Lists/swift", true),
    (["*", "!Lists/*", "Lists/swift"], "Lists/rust", false),
    (["Lists/swift", "!*"], "Lists/swift", false), (["INBOX"], "Other", false),
    ([], "INBOX", false),
    (["inbox"], "INBOX", true), (["Inbox/x"], "INBOX/x", true), (["inbox/X"], "INBOX/x", false),
    (["inboxes"], "INBOXES", false), (["!inbox"], "INBOX", false), (["in%"], "INBOX", false),
    (["Büro"], "Büro", true), (["a*b*c*d"], "axxbxxcxxd", true), (["*a*"], "", false),
    (["*"], "", true), (["!"], "", false),
  ]) func `the last pattern that matches decides`(
    patterns: [String], name: String, expected: Bool
  ) {
    #expect(FolderPatterns(patterns).matches(name: name, delimiter: "/") == expected)
  }

  @Test func `a slash in a pattern stands for the server's delimiter`() {
    let patterns = FolderPatterns(["*", "!Archive/%"])
    #expect(!patterns.matches(name: "Archive.2024", delimiter: "."))
    #expect(patterns.matches(name: "Archive.2024.May", delimiter: "."))
    #expect(patterns.matches(name: "Archive.2024", delimiter: nil))
    #expect(!patterns.matches(name: "Archive\\2024", delimiter: "\\"))
    #expect(FolderPatterns(["Archive.2024"]).matches(name: "Archive.2024", delimiter: "."))
  }

  @Test func `a mailbox is matched with its own delimiter`() {
    #expect(FolderPatterns(["inbox"]).matches(MailboxName("Inbox", delimiter: "/")))
    #expect(FolderPatterns.pattern("inbox", matches: MailboxName("INBOX", delimiter: nil)))
    #expect(FolderPatterns.pattern("Archive/%", matches: MailboxName("Archive.1", delimiter: ".")))
  }

  @Test func `a hostile pattern ends in time`() {
    let pattern = String(repeating: "*a", count: 500)
    let name = String(repeating: "a", count: 999) + "b"
    let clock = ContinuousClock()
    let time = clock.measure {
      #expect(!FolderPatterns([pattern]).matches(name: name, delimiter: "/"))
    }
    // Without an end in sight it would be far more.
    #expect(time < .seconds(20))
  }

  @Test(arguments: [
    (["café"], true, true), (["cafe\u{301}"], true, true), (["&~cafe&AwE-"], false, true),
    (["*", "!&~cafe&AwE-"], true, false), (["*", "!café"], false, false),
  ])
  func `a name that another's reads like goes by both of its forms`(
    patterns: [String], plain: Bool, spelled: Bool
  ) {
    let folders = FolderPatterns(patterns)
    #expect(folders.matches(MailboxName("café", delimiter: "/")) == plain)
    #expect(folders.matches(MailboxName("&~cafe&AwE-", delimiter: "/")) == spelled)
  }
}
