import MailTestKit
import Testing

/// The same questions put to notmuch find the same messages, where the two languages agree.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram && NotmuchProgram.isInstalled))
struct SearchAgreementTests {
  /// A tree that both have indexed.
  private struct Searched {
    let index: IndexProgram
    let notmuch: NotmuchProgram

    init(_ messages: [SampleMessage]) throws {
      index = try IndexProgram()
      try index.fill(
        messages, folders: ["personal/INBOX", "personal/Archive/2024", "personal/Lists/talk"])
      try index.runSuccessfully("update")
      notmuch = try NotmuchProgram(root: index.root)
      try notmuch.update()
    }

    /// Returns how many were found.
    @discardableResult
    func expectSame(_ ours: String, _ theirs: String? = nil, location: SourceLocation) throws -> Int
    {
      let here = try index.search(ours)
      let there = try notmuch.search(theirs ?? ours)
      let (mine, its) = (Set(here), Set(there))
      let isSame = mine == its
      #expect(
        isSame,
        "\(ours): \(here.count) and \(there.count); only here \(mine.subtracting(its).sorted().prefix(3).joined(separator: " ")), only there \(its.subtracting(mine).sorted().prefix(3).joined(separator: " "))",
        sourceLocation: location)
      return here.count
    }
  }

  @Test(arguments: [1, 2] as [UInt64]) func `generated mail is found alike`(seed: UInt64) throws {
    var generator = MailGenerator(seed: seed, profile: seed == 1 ? .list : .office, count: 250)
    let mail = generator.messages(250)
    let tree = try Searched(mail)
    var random = SeededGenerator(seed: seed)
    let words = Words(mail)
    var found = 0
    // Quoted, because notmuch stems the words that are not.
    for _ in 0..<12 {
      let (one, two) = (words.pick(&random), words.pick(&random))
      let phrase = words.phrase(&random)
      for query in [
        "\"\(one)\"", "\"\(one)\" and \"\(two)\"", "\"\(one)\" or \"\(two)\"",
        "\"\(one)\" and not \"\(two)\"", "not \"\(one)\"", "\"\(phrase)\"",
        "(\"\(one)\" or \"\(two)\") and is:unread", "subject:\"\(one)\"", "\(one.prefix(4))*",
      ] {
        found += try tree.expectSame(query, location: #_sourceLocation)
      }
    }
    #expect(found > 1000)
    for query in [
      "is:unread", "is:flagged", "is:replied", "not is:unread", "date:2021-03-01..2021-05-31",
      "date:2022..2022", "folder:personal/Archive/2024", "folder:personal/INBOX and is:flagged",
      "is:unread or is:flagged", "mimetype:application/octet-stream",
    ] {
      let count = try tree.expectSame(query, query.notmuch, location: #_sourceLocation)
      #expect(count > 0 || query.hasPrefix("mimetype"), "\(query) finds something")
    }
    for address in words.senders(&random, 6) {
      #expect(try tree.expectSame("from:\(address)", location: #_sourceLocation) > 0)
      try tree.expectSame("from:\(address) and is:unread", location: #_sourceLocation)
      // notmuch's to: is also Cc: and Bcc:.
      try tree.expectSame(
        "to:\(address) or cc:\(address)", "to:\(address)", location: #_sourceLocation)
    }
    let identity = try #require(try tree.index.search("*").first)
    #expect(try tree.expectSame("id:\(identity)", location: #_sourceLocation) == 1)
  }

  @Test func `text that is encoded, in other scripts, or HTML is found alike`() throws {
    let tree = try Searched(Self.odd)
    for (query, count) in [
      ("\"größe\"", 1), ("\"groesse\"", 0), ("\"привет\"", 1), ("subject:\"naïve\"", 1),
      ("\"visibleword\"", 1), ("from:\"Zoë Müller\"", 1), ("\"innerword\"", 1),
    ] {
      #expect(try tree.expectSame(query, location: #_sourceLocation) == count, "\(query)")
    }
    // Here, and not in notmuch: marks put together, texts that are attached; no CSS and no script.
    #expect(try tree.index.search("\"résumé\"") == ["odd0@example.org", "odd2@example.org"])
    #expect(try tree.index.search("resume") == ["odd0@example.org", "odd2@example.org"])
    #expect(try tree.index.search("attachedtext") == ["odd6@example.org"])
    #expect(try tree.index.search("cssword") == [])
    #expect(try tree.index.search("scriptword") == [])
    #expect(try tree.index.search("attachment:rechnung") == ["odd6@example.org"])
  }

  private static let odd: [SampleMessage] = [
    "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nDie Gr=F6=DFe r=E9sum=E9\n",
    "Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n0NLJ18XUIA==\n",
    "Content-Type: text/html; charset=utf-8\n\n<style>.cssword{}</style><script>scriptword</script><p>visibleword re\u{301}sume\u{301} r&eacute;sum&eacute;</p>\n",
    "Subject: =?utf-8?q?na=C3=AFve?= words\n\nplain\n",
    "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst\n--b\nContent-Type: message/rfc822\n\nSubject: inside\n\ninnerword\n--b--\n",
    "From: =?utf-8?q?Zo=C3=AB_M=C3=BCller?= <zoe@example.org>\n\nplain\n",
    "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=rechnung.pdf\nContent-Transfer-Encoding: base64\n\nAAAA\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=notes.txt\n\nattachedtext\n--b--\n",
  ].enumerated().map { number, rest in
    let from = rest.hasPrefix("From:") ? "" : "From: a@example.org\n"
    let subject = rest.contains("Subject: =?") ? "" : "Subject: odd \(number)\n"
    return SampleMessage(
      bytes: crlf(
        "\(from)\(subject)Date: Sun, 13 Sep 2020 12:26:40 +0000\nMessage-ID: <odd\(number)@example.org>\nMIME-Version: 1.0\n\(rest)"
      ))
  }

  /// Words and people of generated mail.
  private struct Words {
    private let lines: [[Substring]]
    private let people: [String]

    init(_ mail: [SampleMessage]) {
      var lines: [[Substring]] = []
      var people: Set<String> = []
      for message in mail {
        let text = String(decoding: message.bytes.filter { $0 != 13 }, as: UTF8.self)
        guard let blank = text.range(of: "\n\n") else { continue }
        for line in text[blank.upperBound...].split(separator: "\n").prefix(20) {
          let words = line.split(separator: " ")
          if words.count > 4, words.allSatisfy({ $0.allSatisfy(\.isLetter) }) {
            lines.append(words)
          }
        }
        for line in text[..<blank.lowerBound].split(separator: "\n") where line.hasPrefix("From:") {
          people.insert(String(line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }))
        }
      }
      self.lines = lines
      self.people = people.sorted()
    }

    func pick(_ random: inout SeededGenerator) -> String {
      String(random.pick(random.pick(lines).filter { $0.count > 3 } + ["word"]))
    }

    func phrase(_ random: inout SeededGenerator) -> String {
      let line = random.pick(lines)
      let start = random.below(line.count - 2)
      return line[start...(start + 2)].joined(separator: " ")
    }

    func senders(_ random: inout SeededGenerator, _ count: Int) -> [String] {
      (0..<count).map { _ in random.pick(people) }
    }
  }
}

extension String {
  /// What notmuch calls the same.
  fileprivate var notmuch: String {
    self == "date:2022..2022" ? "date:2022-01-01..2022-12-31" : self
  }
}
