import MIME
import Testing

@Suite struct BaseSubjectTests {
  @Test(arguments: [
    ("hello", "hello"), ("Fw: hello", "hello"), ("Re: Fwd: WG: hello (fwd)", "hello"),
    ("[list] Re: hello", "[list] hello"), ("Re: [list] hello", "[list] hello"),
    ("[list] Re: [list] hello", "[list] hello"), ("[a] [b] AW: x", "[a] [b] x"),
    ("[fwd: Re: down]", "down"), ("Fw: Re: [club] WG: The budget", "[club] The budget"),
    ("Fw:", "Fw:"), ("", ""), ("Meeting: today", "Meeting: today"),
    ("回复：转发：你好", "你好"), ("[list] hello", "[list] hello"), ("10:30?", "10:30?"),
  ])
  func `prefixes go and tags stay`(subject: String, rest: String) {
    #expect(BaseSubject.withoutPrefixes(subject) == rest)
  }

  @Test(arguments: [
    ("hello", "hello", false),
    ("Re: hello", "hello", true),
    ("RE:RE: re : hello", "hello", true),
    ("Fwd: Re: ugh", "ugh", true),
    ("Re[2]: another reply", "another reply", true),
    ("Re(3): x", "x", true),
    ("Re^2: x", "x", true),
    ("Re 2: x", "x", true),
    ("hello (fwd) (fwd)", "hello", true),
    ("[FWD: simple [extraction]]", "simple [extraction]", true),
    ("Re: [fwd: Re: [OCF] Service down]", "Service down", true),
    ("[list] Re: [list] hello", "hello", true),
    ("Re: [ocf/puppet] Fix it (#781)", "Fix it (#781)", true),
    ("[only a tag]", "[only a tag]", false),
    ("[a] [b]", "[b]", false),
    ("AW: WG: Angebot", "Angebot", true),
    ("Sv: Re: SV: vms", "vms", true),
    ("VS: Vl: kokous", "kokous", true),
    ("TR : Photos", "Photos", true),
    ("RIF: ciao", "ciao", true),
    ("Odp: sprawa", "sprawa", true),
    ("YNT: konu", "konu", true),
    ("回复: 你好", "你好", true),
    ("回复：转发：你好", "你好", true),
    ("Vá: levél", "levél", true),
    ("ΑΠ: θέμα", "θέμα", true),
    ("Отв: тема", "тема", true),
    ("no re: foobar", "no re: foobar", false),
    ("reply: x", "reply: x", false),
    ("Regarding: x", "Regarding: x", false),
    ("a\u{A0}\t b", "a b", false),
    ("Re:", "", true),
    ("", "", false),
    ("[unmatched hello", "[unmatched hello", false),
    ("Re: unmatched] hello", "unmatched] hello", true),
    ("10:30 meeting", "10:30 meeting", false),
  ])
  func `prefixes of replies and forwards go`(subject: String, base: String, isReply: Bool) {
    let found = BaseSubject.normalise(subject)
    #expect(found.base == base)
    #expect(found.isReplyOrForward == isReply)
  }

  @Test func `stripping again changes nothing`() {
    var dice = Dice(seed: 3)
    let pieces = ["Re:", "fwd:", "[a]", "[fwd:", "]", "(fwd)", " ", "x", "[", "AW :", "：", "re"]
    for _ in 0..<3000 {
      let subject = (0..<dice.roll(8)).map { _ in pieces[dice.roll(pieces.count)] }.joined()
      let once = BaseSubject.normalise(subject).base
      let twice = BaseSubject.normalise(once)
      #expect(twice.base == once, "\(subject)")
    }
  }
}
