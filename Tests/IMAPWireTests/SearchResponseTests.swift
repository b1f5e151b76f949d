import IMAPWire
import MailCore
import Testing

struct SearchResponseTests {
  private func search(_ line: String) throws -> SearchResult {
    guard case .search(let result) = try untagged(line) else { throw Missing(line: line) }
    return result
  }

  @Test(arguments: [
    ("* SEARCH 2 3 6", "2:3,6"), ("* SEARCH", ""), ("* SEARCH  ", ""),
    ("* SEARCH 9 1 5 4 ", "1,4:5,9"),
    ("* SEARCH 0 7 99999999999", "7"), ("* SEARCH 2 2 2", "2"),
    ("* ESEARCH (TAG \"A1\") UID ALL 4,2:3 COUNT 3", "2:4"),
    ("* ESEARCH (TAG \"A1\") UID COUNT 0", ""), ("* ESEARCH (TAG \"A1\") UID ALL", ""),
    ("* ESEARCH UID ALL 1:*", ""), ("* ESEARCH ALL 3 X-NEW (a b) COUNT 1", "3"),
  ])
  func `a search result is read`(line: String, uids: String) throws {
    #expect(try search(line).uids.description == uids)
  }

  @Test func `counts and bounds of ESEARCH are read`() throws {
    let result = try search("* ESEARCH (TAG \"A282\") UID MIN 2 MAX 47 COUNT 25 MODSEQ 917162500")
    #expect(result.minimum == 2)
    #expect(result.maximum == 47)
    #expect(result.count == 25)
    #expect(result.modSeq == ModSequence(917_162_500))
    #expect(result.isUID && result.isExtended)
    #expect(try search("* SEARCH 2 5 (MODSEQ 917162488)").modSeq == ModSequence(917_162_488))
  }

  @Test(arguments: ["* SEARCH 1 x 3", "* SEARCH -1", "* SEARCH 1,2", "* ESEARCH UID ALL x"])
  func `a search result with rubbish in it is no result`(line: String) throws {
    guard case .unrecognised = try untagged(line) else {
      Issue.record("\(line) was believed")
      return
    }
  }

  @Test(arguments: [
    ("* VANISHED 300:310,405,411", false, "300:310,405,411"),
    ("* VANISHED (EARLIER) 41,43:116", true, "41,43:116"),
    ("* vanished (earlier) 9,1", true, "1,9"),
    ("* VANISHED 5:3 ", false, "3:5"),
    ("* VANISHED 1:4294967295", false, "1:4294967295"),
    ("* VANISHED", false, ""),
  ])
  func `VANISHED is read`(line: String, earlier: Bool, uids: String) throws {
    guard case .vanished(let isEarlier, let set) = try untagged(line) else {
      Issue.record("no VANISHED")
      return
    }
    #expect(isEarlier == earlier)
    #expect(set.description == uids)
  }

  @Test(arguments: ["* VANISHED 1:3 junk", "* VANISHED x", "* VANISHED (EARLIER) -5"])
  func `VANISHED with rubbish in it removes nothing`(line: String) throws {
    guard case .unrecognised = try untagged(line) else {
      Issue.record("\(line) was believed")
      return
    }
  }
}
