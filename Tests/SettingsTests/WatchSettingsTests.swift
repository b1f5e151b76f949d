import Testing

@testable import Settings

@Suite struct WatchSettingsTests {
  @Test func `every key of watch is read, and each has a default`() throws {
    let file = try ConfigurationFile(
      minimal(
        """
        [accounts.me.watch]
        mailboxes = ["INBOX", "Lists/swift"]
        poll = "90s"
        on-arrival = ["~/bin/notify", "x y"]
        """))
    let watch = try #require(try file.load().accounts.first?.watch)
    #expect(watch.mailboxes == ["INBOX", "Lists/swift"])
    #expect(watch.poll == .seconds(90))
    #expect(watch.onArrival == ["/home/alice/bin/notify", "x y"])
    #expect(try ConfigurationFile(minimal()).load().accounts.first?.watch == WatchSettings())
  }

  @Test func `one text of on-arrival is for the shell`() throws {
    let file = try ConfigurationFile(
      minimal("[accounts.me.watch]\non-arrival = \"notify | logger\""))
    #expect(
      try file.load().accounts.first?.watch.onArrival == ["/bin/sh", "-c", "notify | logger"])
  }

  @Test(arguments: [
    ("poll = \"0m\"", "“poll” cannot be"), ("poll = \"2h\"", "“poll” cannot be"),
    ("poll = \"4s\"", "“poll” cannot be"), ("poll = \"10\"", "“poll” cannot be"),
    ("poll = 10", "“poll” must be a text"), ("mailboxes = []", "“mailboxes” is empty"),
    ("mailboxes = \"INBOX\"", "“mailboxes” must be a list of texts"),
    ("on-arrivals = []", "unknown key “on-arrivals”"),
  ]) func `a bad value of watch is told`(line: String, words: String) throws {
    let file = try ConfigurationFile(minimal("[accounts.me.watch]\n\(line)"))
    #expect(try #require(file.problem()).problem.contains(words))
  }
}
