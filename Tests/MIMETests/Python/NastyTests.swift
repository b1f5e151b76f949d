import Foundation
import MIME
import MailTestKit
import Testing

/// Messages that are broken, hostile or odd, each with what we take them to say (`nasty/expected.json`).
@Suite(.serialized) struct NastyTests {
  struct Expectation: Decodable {
    struct Part: Decodable {
      var type: String
      var section: String?
      var text: String?
      var file: String?
      var disposition: String?
    }
    var subject: String?
    var subjectContains: [String]?
    var date: Int64?
    var from: [[String]]?
    var to: [[String]]?
    var cc: [[String]]?
    var toAddresses: [String]?
    var parts: [Part]?
    /// What the text for the index has to hold.
    var body: [String]?
    /// What it must not.
    var lacks: [String]?
  }

  static let expectations: [String: Expectation] = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let file = URL(fileURLWithPath: fixtures + "/nasty/expected.json")
    return (try? decoder.decode([String: Expectation].self, from: Data(contentsOf: file))) ?? [:]
  }()

  @Test func `every fixture has its expectation`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: fixtures + "/nasty")
      .filter { $0.hasSuffix(".eml") }.map { String($0.dropLast(4)) }
    #expect(Set(files) == Set(Self.expectations.keys))
    #expect(files.count > 70)
  }

  @Test(arguments: expectations.keys.sorted())
  func `an awkward message is read as a person would`(name: String) throws {
    let message = try readFile("\(fixtures)/nasty/\(name).eml")
    let expected = try #require(Self.expectations[name])
    expect(expected, of: OurReading(message))
    // Maildirs hold LF, servers send CRLF: both must read alike.
    if !message.contains(13) { expect(expected, of: OurReading(message.withCarriageReturns)) }
  }

  /// Whatever is cut off, something is read and nothing traps. Large ones are cut in fewer places.
  @Test(arguments: expectations.keys.sorted()) func `a message cut anywhere is still read`(
    name: String
  ) throws {
    let message = try readFile("\(fixtures)/nasty/\(name).eml")
    let cuts = max(5, min(60, 40_000 / max(1, message.count)))
    let step = max(1, message.count / cuts)
    for end in stride(from: 0, to: message.count, by: step) {
      let reading = OurReading(Array(message[..<end]))
      #expect(!reading.parts.isEmpty)
    }
  }

  private func expect(_ expected: Expectation, of ours: OurReading) {
    if let subject = expected.subject { #expect(ours.subject.map(blanksJoined) == subject) }
    for piece in expected.subjectContains ?? [] { #expect(ours.subject?.contains(piece) == true) }
    if let date = expected.date { #expect(ours.date == date) }
    if let from = expected.from { #expect(ours.from == from) }
    if let to = expected.to { #expect(ours.to == to) }
    if let cc = expected.cc { #expect(ours.cc == cc) }
    for address in expected.toAddresses ?? [] {
      #expect(ours.to.contains { $0[1] == address }, "\(address) in \(ours.to)")
    }
    if let parts = expected.parts { expect(parts, of: ours) }
    for text in expected.body ?? [] {
      #expect(ours.body.contains(text), "\(text) in \(ours.body.prefix(500))")
    }
    for text in expected.lacks ?? [] {
      #expect(!ours.body.contains(text), "\(text) in \(ours.body.prefix(500))")
    }
  }

  private func expect(_ parts: [Expectation.Part], of ours: OurReading) {
    #expect(parts.map(\.type) == ours.parts.map(\.type))
    for (part, our) in zip(parts, ours.parts) {
      if let section = part.section { #expect(our.section == section) }
      if let text = part.text { #expect(our.text == text) }
      if let file = part.file { #expect(our.file == file) }
      if let disposition = part.disposition { #expect(our.disposition == disposition) }
    }
  }
}
