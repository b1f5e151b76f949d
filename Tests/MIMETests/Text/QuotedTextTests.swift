import MIME
import Testing

struct QuotedTextTests {
  /// Blocks as `T`, `S` and the depth of quotations, each with its text.
  static func blocks(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBytes { bytes in
      QuotedText.blocks(bytes).compactMap { block in
        let words = String(decoding: bytes[block.range], as: UTF8.self)
          .split(whereSeparator: \.isNewline).joined(separator: "|")
        guard !words.isEmpty else { return nil }
        return switch block.kind {
        case .text: "T " + words
        case .signature: "S " + words
        case .quoted(let depth): "\(depth) " + words
        }
      }
    }
  }

  @Test func `blocks cover the text without gaps`() {
    let text = Array("a\n> b\n>> c\r\n\nOn 1 May x@y wrote:\n> d\n-- \nsig".utf8)
    let blocks = text.withUnsafeBytes { QuotedText.blocks($0) }
    #expect(blocks.first?.range.lowerBound == 0)
    #expect(blocks.last?.range.upperBound == text.count)
    for (one, next) in zip(blocks, blocks.dropFirst()) {
      #expect(one.range.upperBound == next.range.lowerBound)
    }
  }

  @Test func `marked quotations have their depth`() {
    #expect(
      Self.blocks("a\n> b\n> > c\n>> d\n> e\nf") == [
        "T a", "1 > b", "2 > > c|>> d", "1 > e", "T f",
      ])
    #expect(Self.blocks("> a\n\n> b\n") == ["1 > a|> b"])
    #expect(Self.blocks("a\n>From here on\nb") == ["T a|>From here on|b"])
  }

  @Test(arguments: [
    "On Mon, Apr 2, 2012 at 6:26 PM, Bob <bob@example.org> wrote:",
    "Am 02.04.2012 um 18:26 schrieb Bob:",
    "Le 2 avr. 2012 à 18:26, Bob a écrit :", "El 2 de abril de 2012, Bob escribió:",
    "Il giorno 2 aprile 2012 Bob ha scritto:",
    "Em 2 de abril de 2012, Bob escreveu:", "Op 2 april 2012 schreef Bob:",
    "W dniu 2012-04-02 Bob napisał:",
    "2 апреля 2012 г., 18:26 Bob написал:", "Den 2 april 2012 skrev Bob:", "2012年4月2日 Bob 写道：",
    "2012年4月2日 18:26 Bob <bob@example.org>:",
    "Bob wrote:", "bob@example.org writes:",
    "On Mon, Apr 2, 2012 at 6:26 PM,\nBob <bob@example.org>\nwrote:",
  ]) func `an attribution belongs to its quotation`(attribution: String) {
    let lines = attribution.split(separator: "\n").joined(separator: "|")
    #expect(
      Self.blocks("Hi.\n\n\(attribution)\n> q\n\nYes.") == ["T Hi.", "1 \(lines)|> q", "T Yes."])
    #expect(Self.blocks("Hi.\n\n\(attribution)\n\n> q") == ["T Hi.", "1 \(lines)|> q"])
  }

  @Test func `an ordinary sentence before a quotation stays`() {
    #expect(
      Self.blocks("I think this is the line in question:\n> q") == [
        "T I think this is the line in question:", "1 > q",
      ])
  }

  @Test(arguments: [
    "-----Original Message-----\nFrom: Bob\nSent: Monday\n\nold",
    "-----Ursprüngliche Nachricht-----\nVon: Bob\n\nold",
    "________________________________\nFrom: Bob <b@c.d>\nSent: Monday, 2 April\nTo: Al\nSubject: x\n\nold",
    "Von: Bob\nGesendet: Montag\nAn: Al\nBetreff: x\n\nold",
    "*From:* Bob\n*Sent:* Monday\n*To:* Al\n\nold",
    "发件人: Bob\n发送时间: 2012年\n收件人: Al\n主题: x\n\nold",
    "От: Bob\nОтправлено: 2 апреля\nКому: Al\nТема: x\n\nold",
    "On Mon, Apr 2, 2012 at 6:26 PM, Bob <bob@example.org> wrote:\n\nold",
    "Am 02.04.2012 um 18:26 schrieb Bob:\nold",
  ]) func `all below an unmarked header is quoted`(quoted: String) {
    let blocks = Self.blocks("My answer.\n\n" + quoted)
    #expect(blocks.count == 2)
    #expect(blocks.first == "T My answer.")
    #expect(blocks.last?.hasPrefix("1 ") == true)
    #expect(blocks.last?.hasSuffix("old") == true)
  }

  @Test func `what is forwarded stays text`() {
    #expect(
      Self.blocks("---------- Forwarded message ---------\nFrom: Bob\nDate: Mon\nSubject: x\n\nold")
        .allSatisfy { $0.hasPrefix("T") })
    #expect(
      Self.blocks("-----Original Message-----\nFrom: Bob\nSent: x\nTo: y\n\nold").allSatisfy {
        $0.hasPrefix("T")
      })
  }

  @Test func `a signature ends at a list's footer`() {
    let footer = String(repeating: "_", count: 47) + "\nlist mailing list"
    #expect(
      Self.blocks("Hi\n-- \nBob\n\(footer)\n") == [
        "T Hi", "S -- |Bob", "T \(footer.split(separator: "\n").joined(separator: "|"))",
      ])
    #expect(Self.blocks("Hi\n--\nBob") == ["T Hi", "S --|Bob"])
    #expect(Self.blocks("Hi\n-- \n" + String(repeating: "much\n", count: 60)).count == 1)
  }

  @Test func `hostile text takes linear time`() {
    for piece in [
      "> a\n\n", "x:\n> ", "On 1 wrote:\n", "From: a\n", "-- \n", "\n", ">", "a@b:\n>\n",
      "_________\n", "--\n--a\n",
    ] {
      let text = Array(String(repeating: piece, count: 60_000 / piece.utf8.count).utf8)
      let time = ContinuousClock().measure { _ = text.withUnsafeBytes { QuotedText.blocks($0) } }
      #expect(time < .seconds(20), "\(piece)")
    }
  }

  @Test func `flowed lines are joined by depth`() {
    func flowed(_ text: String, deletesSpaces: Bool = false) -> String {
      var output: [UInt8] = []
      Array(text.utf8).withUnsafeBytes {
        FlowedText.append($0, deletesSpaces: deletesSpaces, into: &output)
      }
      return String(decoding: output, as: UTF8.self)
    }
    #expect(flowed("a \nb\nc\n") == "a b\nc\n")
    #expect(flowed("> a \n> b\n>> c \nd\n") == "> a b\n>> c \nd\n")
    #expect(flowed(" >a\n From \n") == ">a\nFrom \n")
    #expect(flowed("日 \n本\n", deletesSpaces: true) == "日本\n")
    #expect(flowed("a \n-- \nb\n") == "a \n-- \nb\n")
    #expect(flowed("a \r\nb\r\n") == "a b\n")
    #expect(flowed("a") == "a")
  }
}
