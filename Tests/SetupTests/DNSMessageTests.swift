import Testing

@testable import Setup

@Suite struct DNSMessageTests {
  /// Header, the question `_imaps._tcp.example.org`, and so many answers.
  private func message(answers: [[UInt8]], count: Int? = nil, flags: [UInt8] = [0x81, 0x80])
    -> [UInt8]
  {
    let number = UInt16(count ?? answers.count)
    var bytes: [UInt8] = [0x12, 0x34]
    bytes += flags
    bytes += [0, 1, UInt8(number >> 8), UInt8(number & 0xFF), 0, 0, 0, 0]
    bytes += name("_imaps._tcp.example.org")
    bytes += [0, 33, 0, 1]
    for answer in answers { bytes += answer }
    return bytes
  }

  private func name(_ text: String) -> [UInt8] {
    text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  /// A record of the question's own name, by a pointer.
  private func record(_ kind: UInt8, _ data: [UInt8], length: Int? = nil) -> [UInt8] {
    let count = length ?? data.count
    return [0xC0, 0x0C, 0, kind, 0, 1, 0, 0, 1, 0, UInt8(count >> 8), UInt8(count & 0xFF)] + data
  }

  @Test func `services, exchanges and addresses are read`() throws {
    let message = try DNSMessage(
      message(answers: [
        record(33, [0, 10, 0, 5, 0x03, 0xE1] + name("imap.example.org")),
        record(33, [0, 20, 0, 0, 0, 143, 4] + Array("mail".utf8) + [0xC0, 24]),
        record(15, [0, 1] + name("mx.example.org")), record(1, [127, 0, 0, 9]),
        record(28, [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]),
        record(16, [2, 0x76, 0x3D, 1, 0x31]), record(16, [3, 0x61]),
        record(33, [0, 0, 0, 0, 0, 0, 0]),
      ]))
    #expect(
      message.services == [
        .init(priority: 10, weight: 5, port: 993, target: "imap.example.org"),
        .init(priority: 20, weight: 0, port: 143, target: "mail.example.org"),
        .init(priority: 0, weight: 0, port: 0, target: ""),
      ])
    #expect(message.exchanges == [.init(preference: 1, host: "mx.example.org")])
    #expect(message.addresses == ["127.0.0.9", "2001:db8:0:0:0:0:0:1"])
    #expect(message.texts == ["v=1", ""], "what is cut off is left out")
  }

  @Test func `the preferred exchanges are those of the lowest preference alone`() throws {
    let records = [("backup.example.net", 20), ("a.example.org", 5), ("b.example.org", 5)].map {
      record(15, [0, UInt8($0.1)] + name($0.0))
    }
    let message = try DNSMessage(message(answers: records))
    #expect(message.preferredExchanges == ["a.example.org", "b.example.org"])
    #expect(try DNSMessage(self.message(answers: [])).preferredExchanges == [])
  }

  @Test func `hostile answers are refused`() {
    // A pointer to itself, one that leads ahead, and two that chase each other.
    for pointer in [[UInt8(0xC0), 41], [0xC0, 0xFF], [0xC0, 53]] {
      #expect(throws: DNSMistake.self) {
        try DNSMessage(message(answers: [[pointer[0], pointer[1], 0, 33, 0, 1, 0, 0, 0, 0, 0, 0]]))
      }
    }
    // Data that is said to be longer than the message, or shorter than what stands in it.
    #expect(throws: DNSMistake.truncated) {
      try DNSMessage(message(answers: [record(33, [0, 1], length: 60_000)]))
    }
    #expect(throws: DNSMistake.self) {
      try DNSMessage(
        message(answers: [record(33, [0, 1, 0, 1, 3, 0xE1] + name("a.example"), length: 6)]))
    }
    // More answers than there are.
    #expect(throws: DNSMistake.self) { try DNSMessage(message(answers: [], count: 65535)) }
    // A name that no host has: it would be shown, and written down.
    #expect(throws: DNSMistake.badName) {
      try DNSMessage(
        message(answers: [record(33, [0, 1, 0, 1, 3, 0xE1, 6] + Array("a\u{1B}[31m".utf8) + [0])]))
    }
    // Labels of kinds that there are none of.
    #expect(throws: DNSMistake.badName) {
      try DNSMessage(message(answers: [record(15, [0, 1, 0x80, 0])]))
    }
    // A question, and a failure.
    #expect(throws: DNSMistake.notAnAnswer) { try DNSMessage(message(answers: [], flags: [1, 0])) }
    #expect(throws: DNSMistake.notAnAnswer) {
      try DNSMessage(message(answers: [], flags: [0x81, 0x83]))
    }
    #expect(throws: DNSMistake.truncated) { try DNSMessage([]) }
  }

  @Test(arguments: 0..<40)
  func `mutated answers end in records or in an error`(seed: UInt64) {
    var random = Mutations(seed: seed)
    let whole = message(answers: [
      record(33, [0, 10, 0, 5, 0x03, 0xE1] + name("imap.example.org")),
      record(15, [0, 1] + name("mx.example.org")), record(1, [127, 0, 0, 9]),
    ])
    for _ in 0..<500 {
      guard let message = try? DNSMessage(random.mutated(whole)) else { continue }
      for service in message.services { #expect(service.target.utf8.count <= 255) }
      #expect(message.services.count <= 200)
    }
  }

  @Test func `TLS goes before STARTTLS, then priority, then weight`() throws {
    let address = try EmailAddress("a@example.org")
    func record(_ priority: UInt16, _ weight: UInt16, _ target: String, port: UInt16 = 993)
      -> DNSMessage.Service
    {
      .init(priority: priority, weight: weight, port: port, target: target)
    }
    let service = ServiceRecords.service(
      for: address,
      [
        .imaps: [
          record(20, 9, "c.example"), record(10, 1, "a.example"), record(10, 5, "b.example"),
        ],
        .imap: [record(0, 0, "d.example", port: 143)], .submissions: [record(0, 0, "", port: 0)],
        .submission: [record(0, 0, "s.example", port: 587)],
      ])
    #expect(
      service.imap
        == ServerOffer(host: "b.example", port: 993, tls: .implicit, user: "a@example.org"))
    #expect(service.smtp?.host == "s.example")
    #expect(service.smtp?.tls == .starttls)
    #expect(ServiceRecords.service(for: address, [:]).imap == nil)
  }
}
