import Testing

@testable import MailIndex

@Suite struct NamePatternTests {
  @Test(arguments: [
    ("todo", "TODO", true), ("todo", "todos", false), ("*", "anything", true), ("a*", "abc", true),
    ("*c", "abc", true), ("a*c", "abc", true), ("a*c", "ac", true), ("a*a", "a", false),
    ("a**c", "abxc", true), ("*b*d*", "abcde", true), ("*d*b*", "abcde", false),
    ("É*", "élan", true),
    ("", "", true), ("", "a", false), ("ab*ab", "abab", true), ("ab*ab", "ab", false),
  ]) func `stars stand for any run`(pattern: String, name: String, expected: Bool) {
    #expect(NamePattern(pattern).matches(name) == expected)
  }

  @Test(arguments: [
    ("2024", "Archive/2024", true), ("archive/2024", "Archive/2024", true),
    ("Archive", "Archive/2024", false), ("Archive/*", "Archive/2024", true),
    ("Archive/*", "Archive/2024/05", true), ("Archive/*", "Archive", false),
    ("/INBOX", "INBOX", true), ("/2024", "Archive/2024", false),
    ("chive/2024", "Archive/2024", false),
    ("old/arch*", "x/Old/Archive", true),
  ]) func `a folder is named by its last levels`(pattern: String, path: String, expected: Bool) {
    #expect(NamePattern(pattern).matchesEnd(of: path, separator: "/") == expected)
  }
}
