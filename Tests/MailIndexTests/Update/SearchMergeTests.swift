import GRDB
import Testing

@testable import MailIndex

/// The segments of search text that a first build leaves become one, in a file beside the index.
@Suite struct SearchMergeTests {
  /// A build of six pieces, each of which leaves a segment at least.
  private func build(_ lab: IndexLab, enoughSegments: Int) throws {
    for piece in 0..<6 {
      for number in 0..<5 {
        let name = "m\(piece)x\(number)"
        try lab.put(
          "personal/INBOX", "cur/\(name):2,S",
          lab.mail(
            name, subject: "Subject \(number)", body: "word\(piece) and all of number\(number)"))
      }
      if piece > 0 { try lab.reopenBuild() }
      try lab.update(bulkFrom: 1, enoughSegments: piece < 5 ? 100 : enoughSegments)
    }
  }

  private func segments(_ lab: IndexLab) throws -> Int { try lab.read(SegmentAdoption.count) }

  @Test func `merged text finds what it found in pieces`() throws {
    let (merged, pieces) = (try IndexLab(), try IndexLab())
    try build(merged, enoughSegments: 3)
    try build(pieces, enoughSegments: 100)
    #expect(try segments(merged) <= 3)
    #expect(try segments(pieces) >= 6)
    for words in [
      "word3", "number4", "subject", "\"all of number2\"", "wor*", "word1 number1", "nothing",
    ] {
      #expect(try merged.found(words) == pieces.found(words), "\(words)")
    }
    #expect(try merged.found("word3").count == 5)
    try merged.expectSound()
  }

  @Test func `merged text takes what comes and goes later`() throws {
    let lab = try IndexLab()
    try build(lab, enoughSegments: 3)
    try lab.put("personal/INBOX", "cur/later:2,", lab.mail("later", body: "word3 again"))
    try lab.remove("personal/INBOX/cur/m3x0:2,S")
    try lab.update()
    #expect(
      try lab.found("word3") == [
        "later@example.org", "m3x1@example.org", "m3x2@example.org", "m3x3@example.org",
        "m3x4@example.org",
      ])
    try lab.expectSound()
    let before = try lab.portrait()
    try lab.update(.rebuild)
    #expect(try lab.portrait() == before)
  }

  /// While it is put in its place, the index has a part of the text, and then none of it may be believed.
  @Test func `a build cut short while merged text took its place begins anew`() throws {
    let lab = try IndexLab()
    try build(lab, enoughSegments: 100)
    let (before, found) = (try lab.portrait(), try lab.found("word3"))
    struct Cut: Error {}
    let store = try IndexStore.open(root: lab.root, rebuild: false)
    let source = try DatabaseQueue()
    try source.write { try $0.execute(sql: IndexSchema.textTable) }
    #expect(throws: IndexError.self) {
      try source.read {
        try SegmentAdoption.replaceSegments(by: $0, in: store) {
          try IndexStore.setFact(BulkAdditions.underWayFact, SearchMerge.isReplacing, $0)
        } end: { _ in
          throw Cut()
        }
      }
    }
    store.close()
    #expect(try lab.found("word3") == [])
    let summary = try lab.update()
    #expect(summary.reset != nil && summary.read == 30)
    #expect(try lab.found("word3") == found)
    #expect(try lab.portrait() == before)
    try lab.expectSound()
  }

  @Test func `a build cut short before its merge is merged by the next update`() throws {
    let lab = try IndexLab()
    try build(lab, enoughSegments: 100)
    let found = try lab.found("word3")
    try lab.reopenBuild()
    try lab.put("personal/INBOX", "cur/later:2,", lab.mail("later", body: "word3 again"))
    try lab.update(enoughSegments: 3)
    #expect(try segments(lab) <= 2)
    #expect(try lab.found("word3") == (found + ["later@example.org"]).sorted())
    try lab.expectSound()
  }

  @Test func `where the text has no room twice, the index stays in pieces`() throws {
    let lab = try IndexLab()
    try lab.makeFolder("personal/INBOX")
    try lab.put(".mirror/merge.db", "cur/in-the-way", "")
    try build(lab, enoughSegments: 3)
    #expect(try segments(lab) >= 6)
    #expect(try lab.found("word3").count == 5)
    try lab.expectSound()
  }
}
