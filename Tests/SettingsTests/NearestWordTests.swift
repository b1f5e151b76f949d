import Settings
import Testing

@Suite struct NearestWordTests {
  @Test(arguments: [
    ("hots", "host"), ("HOST", "host"), ("passwordcommand", "password-command"),
    ("password_command", "password-command"), ("usr", "user"),
  ]) func `a slip finds its word`(typed: String, word: String) {
    let words = ["host", "port", "user", "password", "password-command", "password-file"]
    #expect(nearestWord(to: typed, among: words) == word)
  }

  @Test func `a stranger finds none`() {
    #expect(nearestWord(to: "colour", among: ["host", "port"]) == nil)
    #expect(nearestWord(to: "", among: ["host"]) == nil)
    #expect(nearestWord(to: "x", among: []) == nil)
  }
}
