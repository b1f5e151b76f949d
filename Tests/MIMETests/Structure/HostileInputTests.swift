import Foundation
import MIME
import Testing

/// Whatever comes in: no range lies outside, and time grows with the bytes only.
@Suite struct HostileInputTests {
  static func check(_ mail: MailBytes) {
    let structure = mail.structure()
    var isSound = !structure.parts.isEmpty
    for (index, part) in structure.parts.enumerated() {
      isSound =
        isSound && part.header.lowerBound >= 0 && part.header.upperBound == part.body.lowerBound
        && part.body.upperBound <= mail.bytes.count
      guard let parent = part.parent, isSound else {
        isSound = isSound && index == 0
        continue
      }
      let outer = structure.parts[parent].body
      isSound =
        parent < index && outer.lowerBound <= part.header.lowerBound
        && part.body.upperBound <= outer.upperBound
    }
    #expect(isSound, "\(String(decoding: mail.bytes, as: UTF8.self).debugDescription)")
    mail.read { bytes in
      let header = HeaderFields(bytes, in: 0..<bytes.count)
      for field in header.fields {
        let value = UnsafeRawBufferPointer(rebasing: bytes[field.value])
        let text = HeaderText.decode(value)
        _ = AddressList.parse(value)
        _ = MessageIDs.references(value)
        _ = MessageIDs.inReplyTo(value)
        _ = MailDate.parse(value)
        _ = BaseSubject.normalise(text)
      }
    }
  }

  @Test(arguments: 1...20) func `random pieces of mail never lead out of range`(seed: Int) {
    let pieces = [
      "Content-Type: multipart/mixed; boundary=b\n", "Content-Type: message/rfc822\n",
      "Content-Type: multipart/digest; boundary=\"bb\"\r\n", "\n", "\r\n", "--b\n", "--b--\n",
      "--bb\r\n", "--bb--", "--", "b", " folded\n", "\0", "Subject: =?utf-8?Q?=C3?=\n", "=?",
      "From: \"a <b@c>, (d\n", "To: g: a@b, <c@d>;\n", "Content-Disposition: attachment; ",
      "filename*0*=utf-8''%C3", "filename*1=\"", ";", "Date: Fri, 15 Mar 2024 10:", "\u{E9}", ":",
      "In-Reply-To: <a@b> x <c", ">", "(", "\\", "\"",
    ].map { Array($0.utf8) }
    var dice = Dice(seed: UInt64(seed))
    for _ in 0..<50 {
      var bytes: [UInt8] = []
      for _ in 0..<dice.roll(40) {
        bytes += pieces[dice.roll(pieces.count)]
        if dice.roll(20) == 0 { bytes.append(UInt8(dice.roll(256))) }
      }
      Self.check(MailBytes(bytes: bytes))
    }
  }

  @Test func `every cut of a message is read`() {
    let mail = MailBytes(
      "From: =?utf-8?B?w6Q=?= <a@b>\r\nDate: Fri, 15 Mar 2024 10:20:30 +0000 (CET)\r\n"
        + "Content-Type: multipart/mixed;\r\n boundary=\"b\"\r\n\r\n--b\r\nContent-Disposition: "
        + "attachment;\r\n filename*0*=utf-8''%C3%A4;\r\n filename*1=\"x\"\r\n\r\none\r\n--b--\r\n")
    for end in 0...mail.bytes.count { Self.check(MailBytes(bytes: Array(mail.bytes[..<end]))) }
  }

  struct Attack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let head: String
    let unit: String
    var tail = ""

    func mail(_ size: Int) -> MailBytes {
      var bytes = Array(head.utf8)
      let unit = Array(unit.utf8)
      bytes.reserveCapacity(size + unit.count)
      while bytes.count < size { bytes += unit }
      return MailBytes(bytes: bytes + Array(tail.utf8))
    }
  }

  static let attacks: [Attack] = [
    Attack(
      testDescription: "parts", head: "Content-Type: multipart/mixed; boundary=b\n\n",
      unit: "--b\n\n"),
    Attack(
      testDescription: "delimiters", head: "Content-Type: multipart/mixed; boundary=b\n\n",
      unit: "--b\n"),
    Attack(
      testDescription: "almost boundaries",
      head: "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n", unit: "--bx\n"),
    Attack(
      testDescription: "nesting without boundaries", head: "",
      unit: "Content-Type: multipart/mixed\n\n--b\nContent-Type: text/plain\n"),
    Attack(testDescription: "nested messages", head: "", unit: "Content-Type: message/rfc822\n\n"),
    Attack(testDescription: "one line", head: "Subject: ", unit: "x"),
    Attack(testDescription: "folds", head: "Subject: ", unit: "\n x"),
    Attack(testDescription: "blank folds", head: "Subject: x;", unit: "\n "),
    Attack(testDescription: "fields", head: "", unit: "To: a\n"),
    Attack(testDescription: "stray lines", head: "To: a\n", unit: "stray line\nTo: b\n"),
    Attack(testDescription: "open words", head: "Subject: ", unit: "=?a?Q?x"),
    Attack(testDescription: "words", head: "Subject: ", unit: "=?utf-8?Q?=C3?= "),
    Attack(
      testDescription: "charsets in turn", head: "Subject: ", unit: "=?utf-8?Q?a?= =?koi8-r?Q?b?= "),
    Attack(testDescription: "comments", head: "To: ", unit: "("),
    Attack(testDescription: "brackets", head: "To: ", unit: "<"),
    Attack(testDescription: "brackets and comments", head: "To: ", unit: "<("),
    Attack(testDescription: "quotes", head: "To: ", unit: "\"\\"),
    Attack(testDescription: "addresses", head: "To: ", unit: "a@b "),
    Attack(testDescription: "groups", head: "To: ", unit: "g:a@b;"),
    Attack(testDescription: "identifiers", head: "References: ", unit: "<a@b>"),
    Attack(testDescription: "open identifiers", head: "References: ", unit: "<a\""),
    Attack(testDescription: "quoted identifiers", head: "References: <\"", unit: ">\""),
    Attack(testDescription: "pieces", head: "Content-Type: text/plain", unit: ";n*1=a"),
    Attack(
      testDescription: "comments between parameters", head: "Content-Type: text/plain;", unit: "(;"),
    Attack(testDescription: "tags", head: "Subject: ", unit: "[a]", tail: "x"),
    Attack(testDescription: "forwards", head: "Subject: ", unit: "[fwd:", tail: "]"),
    Attack(testDescription: "prefixes", head: "Subject: ", unit: "Re:"),
    Attack(testDescription: "dates", head: "Date: ", unit: "1-"),
  ]

  @Test(arguments: attacks) func `time grows with the bytes`(attack: Attack) {
    func time(_ size: Int) -> Double {
      let mail = attack.mail(size)
      return (0..<2).map { _ in
        let start = Self.secondsOfThread()
        Self.readAll(mail)
        return Self.secondsOfThread() - start
      }.min() ?? 0
    }
    // A machine under load may slow either run down: the best of a few tries counts.
    var ratio = Double.infinity
    for _ in 0..<4 where ratio > 3 {
      let half = time(100_000)
      let whole = time(200_000)
      // Too fast to be measured is fast enough.
      ratio = whole < 0.02 ? 1 : whole / half
    }
    #expect(ratio <= 3, "twice the bytes took \(ratio) times as long")
  }

  /// What this thread has worked: what others do meanwhile is none of it.
  private static func secondsOfThread() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func readAll(_ mail: MailBytes) {
    _ = mail.structure()
    mail.read { bytes in
      for field in HeaderFields(bytes, in: 0..<bytes.count).fields.prefix(100) {
        let value = UnsafeRawBufferPointer(rebasing: bytes[field.value])
        let text = HeaderText.decode(value)
        _ = AddressList.parse(value)
        _ = MessageIDs.references(value)
        _ = MessageIDs.inReplyTo(value)
        _ = MailDate.parse(value)
        _ = BaseSubject.normalise(text)
      }
    }
  }
}
