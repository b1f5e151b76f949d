import Testing

@testable import MailIndex

struct ThreadSubjectTests {
  private func joining(_ base: String) -> String {
    String(decoding: ThreadSubject(base: base).joining, as: UTF8.self)
  }

  @Test func `case and blanks do not count`() {
    #expect(joining("  Garden\t Party ") == "garden party")
    #expect(joining("ÜBER Uns") == "über uns")
    #expect(joining("ПРИВЕТ ВСЕМ") == "привет всем")
  }

  @Test(arguments: [
    "", " ", "?!", "a", "No Subject", "(no subject)", "Kein Betreff", "¿?",
  ])
  func `trivial subjects join nothing`(base: String) {
    #expect(joining(base) == "")
  }

  @Test(arguments: ["Hi", "HELLO", "plan", "会議", "日", "Hello Bob", "v1.2", "naïf", "#1234"])
  func `others do`(base: String) {
    #expect(joining(base) != "")
  }

  @Test func `the topic is what stands behind the last colon`() {
    func topic(_ base: String) -> String {
      String(decoding: ThreadSubject(base: base).topic, as: UTF8.self)
    }
    #expect(topic("Accepted: Lunch") == "lunch")
    #expect(topic("Ynt: a: Lunch at 12:30") == "lunch at 12:30")
    #expect(topic("Lunch: ") == "lunch:")
    #expect(topic(": ") == ":")
    #expect(topic("") == "")
  }

  @Test func `a subject of any length stays bounded`() {
    #expect(ThreadSubject(base: String(repeating: "ab ", count: 1_000_000)).joining.count <= 1000)
  }
}
