import MailTestKit

/// Short messages in conversations that only their references tell: many conversations have one subject.
///
/// A conversation keeps its subject, but for a few who change it. References are whole, cut to the nearest, or missing beside In-Reply-To; some parents were never received,
/// and replies come before what they answer.
struct ThreadedMail {
  private struct Sent {
    var id: String
    var references: [String]
    var subject: String
  }

  private var random: SeededGenerator
  private var sent: [Sent] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// `count` messages in an order of arrival of their own.
  mutating func messages(_ count: Int) -> [SampleMessage] {
    var all: [SampleMessage] = []
    var number = 0
    while all.count < count {
      number += 1
      let parent = random.chance(0.8) && !sent.isEmpty ? sent[recent()] : nil
      let message = next(number, answering: parent)
      // Some are known by their answers alone.
      if !random.chance(0.08) { all.append(message) }
    }
    all.shuffle(using: &random)
    return all
  }

  private mutating func recent() -> Int { max(0, sent.count - 1 - random.below(60)) }

  private mutating func next(_ number: Int, answering parent: Sent?) -> SampleMessage {
    let id = "\(number).\(String(random.next(), radix: 36))@threads.example"
    let references = parent.map { $0.references + [$0.id] } ?? []
    let changed = parent == nil || random.chance(0.03)
    let subject = changed ? "matter \(random.below(50))" : parent?.subject ?? ""
    sent.append(Sent(id: id, references: references, subject: subject))
    let date = 1_600_000_000 + Int64(number) * 3600
    var lines = [
      "From: Person \(random.below(40)) <p\(random.below(40))@example.org>",
      "To: list@example.org", "Subject: \(parent == nil ? "" : "Re: ")\(subject)",
      "Date: \(rfc5322Date(date))", "Message-ID: <\(id)>",
    ]
    lines += links(references)
    let text = lines.joined(separator: "\n") + "\n\nText of \(number).\n"
    return SampleMessage(bytes: crlf(text), date: date, flags: random.chance(0.7) ? ["\\Seen"] : [])
  }

  private mutating func links(_ references: [String]) -> [String] {
    guard let parent = references.last else { return [] }
    let all = references.map { "<\($0)>" }
    switch random.below(5) {
    case 0: return ["In-Reply-To: <\(parent)>"]
    case 1: return ["References: \(all.suffix(3).joined(separator: "\n "))"]
    case 2:
      // A long thread's References as many programs cut them: the first and the last few.
      let cut = all.prefix(1) + all.dropFirst().suffix(2)
      return ["References: \(cut.joined(separator: "\n\t"))", "In-Reply-To: <\(parent)>"]
    case 3: return ["In-Reply-To: <\(parent)>", "References: \(all.joined(separator: " "))"]
    default: return ["References: \(all.joined(separator: "\n "))", "In-Reply-To: <\(parent)>"]
    }
  }
}
