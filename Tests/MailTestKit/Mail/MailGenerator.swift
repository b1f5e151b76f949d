import Foundation

/// A message as a server takes it.
package struct SampleMessage: Sendable, Hashable {
  /// With CRLF line ends.
  package var bytes: [UInt8]
  /// Unix seconds.
  package var date: Int64
  /// As IMAP spells them: `\Seen`, `$Junk`.
  package var flags: [String]

  package init(bytes: [UInt8], date: Int64 = 1_600_000_000, flags: [String] = []) {
    self.bytes = bytes
    self.date = date
    self.flags = flags
  }

  /// A short message that nothing else resembles.
  ///
  /// - Parameter written: what its Date field says.
  package init(
    token: String, subject: String = "Test", body: String = "Hello.", date: Int64 = 1_600_000_000,
    written: Int64 = 1_600_000_000, flags: [String] = []
  ) {
    let text = """
      From: Alice <alice@example.org>
      To: bob@example.org
      Subject: \(subject) \(token)
      Date: \(rfc5322Date(written))
      Message-ID: <\(token)@example.org>

      \(body)
      \(token)

      """
    self.init(bytes: crlf(text), date: date, flags: flags)
  }

  /// The same with the field that a server adds to what it passes on (RFC 5321 §4.4).
  package func passedOn() -> SampleMessage {
    var message = self
    message.bytes.insert(
      contentsOf: Array(
        "Received: from mx.example.net by mail.example.org; Sun, 13 Sep 2020 12:26:41 +0000\r\n"
          .utf8), at: 0)
    return message
  }
}

/// Text with LF line ends as bytes with CRLF.
package func crlf(_ text: String) -> [UInt8] {
  var bytes: [UInt8] = []
  for byte in text.utf8 {
    if byte == 10 && bytes.last != 13 { bytes.append(13) }
    bytes.append(byte)
  }
  return bytes
}

/// Mail like a mailing list's (median 3 kB) or an office's (median 32 kB, attachments): threads, HTML,
/// long headers. The same seed gives the same bytes.
package struct MailGenerator: Sendable {
  package enum Profile: Sendable { case list, office }

  private var random: SeededGenerator
  private let profile: Profile
  private let words: [[UInt8]]
  private let people: [(name: String, address: String)]
  private let start: Int64
  private let span: Int64
  private var recent: [(id: String, references: [String], subject: String)] = []
  private var index = 0
  private let total: Int

  /// - Parameter count: dates are spread so that `count` messages fill five years from 2020.
  package init(seed: UInt64, profile: Profile = .list, count: Int = 1000) {
    var random = SeededGenerator(seed: seed)
    words = Self.vocabulary(&random)
    let words = words
    people = (0..<300).map { _ in
      let (first, last) = (Self.text(random.pick(words)), Self.text(random.pick(words)))
      return (
        "\(first.capitalized) \(last.capitalized)",
        "\(first).\(last)@\(Self.text(random.pick(words))).example"
      )
    }
    self.random = random
    self.profile = profile
    start = 1_577_836_800
    span = 5 * 365 * 86_400
    total = max(1, count)
  }

  /// The next `count` messages.
  package mutating func messages(_ count: Int) -> [SampleMessage] {
    (0..<count).map { _ in next() }
  }

  package mutating func next() -> SampleMessage {
    let date = start + span * Int64(index) / Int64(total) + Int64(random.below(3600))
    var bytes = header(date)
    index += 1
    let body = bodySize()
    let text = prose(body)
    let attached = random.chance(profile == .list ? 0.04 : 0.45)
    let html = random.chance(profile == .list ? 0.25 : 0.8)
    var (type, content) = html ? alternative(text) : ("text/plain; charset=utf-8", text + [13, 10])
    if attached { (type, content) = mixed(type, content) }
    bytes += Array("Content-Type: \(type)\r\n\r\n".utf8)
    bytes += content
    var flags: [String] = []
    if random.chance(0.8) { flags.append("\\Seen") }
    if random.chance(0.1) { flags.append("\\Flagged") }
    if random.chance(0.2) { flags.append("\\Answered") }
    return SampleMessage(bytes: bytes, date: date, flags: flags)
  }

  private mutating func header(_ date: Int64) -> [UInt8] {
    let id = "<\(index).\(String(random.next(), radix: 16))@\(word()).example>"
    let sender = random.pick(people)
    let recipients = (0..<(1 + random.below(3))).map { _ in random.pick(people) }
    var references: [String] = []
    var subject = (0..<(2 + random.below(6))).map { _ in word() }.joined(separator: " ")
    if !recent.isEmpty, random.chance(0.6) {
      let parent = recent[recent.count - 1 - random.below(min(200, recent.count))]
      references = Array((parent.references + [parent.id]).suffix(20))
      subject = parent.subject.hasPrefix("Re: ") ? parent.subject : "Re: " + parent.subject
    }
    recent.append((id, references, subject))
    if recent.count > 1000 { recent.removeFirst(600) }
    let stamp = rfc5322Date(date)
    var lines = [
      "Return-Path: <\(sender.address)>",
      "Received: from mx\(random.below(9)).example (mx.example [192.0.2.\(random.below(250))])"
        + " by mail.example with ESMTPS id \(String(random.next(), radix: 36)); \(stamp)",
      "DKIM-Signature: v=1; a=rsa-sha256; d=example; s=s1; b=\(noise(120))",
      "From: \(sender.name) <\(sender.address)>",
      "To: " + recipients.map { "\($0.name) <\($0.address)>" }.joined(separator: ", "),
      "Subject: \(subject)", "Date: \(stamp)", "Message-ID: \(id)", "MIME-Version: 1.0",
    ]
    if random.chance(0.4) {
      lines.append("List-Id: <\(Self.text(words[random.below(20)])).lists.example>")
    }
    if let parent = references.last {
      lines.append("In-Reply-To: \(parent)")
      lines.append("References: " + references.joined(separator: "\r\n "))
    }
    return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
  }

  private mutating func bodySize() -> Int {
    switch profile {
    case .list: min(400_000, max(300, Int(logNormal(2500, 1.0))))
    case .office: min(60_000, max(500, Int(logNormal(9000, 0.9))))
    }
  }

  /// Words in lines of at most 72 bytes and paragraphs of a few lines.
  private mutating func prose(_ size: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + 200)
    var column = 0
    var lines = 0
    while bytes.count < size {
      let next = words[zipf()]
      if column + next.count > 71 {
        lines += 1
        let paragraphEnds = lines % 6 == 0
        bytes += paragraphEnds ? [13, 10, 13, 10] : [13, 10]
        column = 0
      }
      if column > 0 { bytes.append(32) }
      bytes += next
      column += next.count + 1
    }
    return bytes + [13, 10]
  }

  private mutating func alternative(_ text: [UInt8]) -> (String, [UInt8]) {
    let boundary = "alt\(String(random.next(), radix: 16))"
    var bytes =
      Array("--\(boundary)\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n".utf8) + text
    bytes += Array(
      "\r\n--\(boundary)\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body><p>\r\n".utf8)
    bytes += text
    bytes += Array("</p></body></html>\r\n--\(boundary)--\r\n".utf8)
    return ("multipart/alternative; boundary=\"\(boundary)\"", bytes)
  }

  private mutating func mixed(_ type: String, _ content: [UInt8]) -> (String, [UInt8]) {
    let boundary = "mix\(String(random.next(), radix: 16))"
    let size = min(8_000_000, max(4000, Int(logNormal(profile == .list ? 20_000 : 60_000, 1.3))))
    let name = word() + random.pick([".pdf", ".jpg", ".zip", ".docx", ".png"])
    var bytes = Array("--\(boundary)\r\nContent-Type: \(type)\r\n\r\n".utf8) + content
    bytes += Array(
      """
      \r\n--\(boundary)\r\nContent-Type: application/octet-stream; name="\(name)"\r\n\
      Content-Disposition: attachment; filename="\(name)"\r\n\
      Content-Transfer-Encoding: base64\r\n\r\n
      """.utf8)
    appendBase64(size, to: &bytes)
    bytes += Array("--\(boundary)--\r\n".utf8)
    return ("multipart/mixed; boundary=\"\(boundary)\"", bytes)
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private mutating func appendBase64(_ size: Int, to bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + size * 4 / 3 + size / 40)
    var line = [UInt8](repeating: 13, count: 77) + [10]
    // By pointers, since a debug build spends most of a large mailbox here.
    Self.alphabet.withUnsafeBufferPointer { alphabet in
      for _ in 0..<(size / 57) {
        line.withUnsafeMutableBufferPointer { line in
          var left = 0
          var bits: UInt64 = 0
          for place in 0..<76 {
            if left == 0 { (bits, left) = (random.next(), 10) }
            line[place] = alphabet[Int(bits & 63)]
            bits >>= 6
            left -= 1
          }
        }
        bytes += line
      }
    }
  }

  private mutating func noise(_ count: Int) -> String {
    String(decoding: (0..<count).map { _ in Self.alphabet[random.below(64)] }, as: UTF8.self)
  }

  private mutating func word() -> String { Self.text(words[zipf()]) }

  /// Frequent words come first: the index falls off like natural language does.
  private mutating func zipf() -> Int {
    min(words.count - 1, Int(exp(random.unit() * log(Double(words.count)))) - 1 + random.below(2))
  }

  private mutating func logNormal(_ median: Double, _ sigma: Double) -> Double {
    let radius = (-2 * log(1 - random.unit())).squareRoot()
    return median * exp(sigma * radius * cos(2 * .pi * random.unit()))
  }

  private static func text(_ word: [UInt8]) -> String { String(decoding: word, as: UTF8.self) }

  private static func vocabulary(_ random: inout SeededGenerator) -> [[UInt8]] {
    let consonants = Array("bcdfghjklmnprstvwz".utf8)
    let vowels = Array("aeiou".utf8)
    return (0..<8000).map { _ in
      (0...random.below(4)).flatMap { _ -> [UInt8] in
        let syllable = [random.pick(consonants), random.pick(vowels)]
        return random.chance(0.3) ? syllable + [random.pick(consonants)] : syllable
      }
    }
  }
}
