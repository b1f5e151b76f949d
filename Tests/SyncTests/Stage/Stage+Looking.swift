import Foundation
import MailTestKit
import Testing

/// What is on either side, and whether both agree.
extension Stage {
  // MARK: Here

  func tree() throws -> MaildirTree { try MaildirTree(path) }

  func local(_ token: String, in folder: String? = nil) throws -> LocalMessage {
    try #require(try tree().message(with: "<\(token)@", in: folder), "no file of \(token)")
  }

  /// The folders that have it, one for each file.
  func folders(of token: String) throws -> [String] {
    try tree().messages.filter { contains($0.raw, Array("<\(token)@".utf8)) }.map(\.folder)
      .sorted()
  }

  // MARK: There

  /// The mailboxes that have it, one for each message; those that are only marked `\Deleted` wait for an EXPUNGE.
  func places(_ token: String) -> [String] {
    boxes.flatMap { box in
      box.messages.filter {
        !$0.flags.contains("\\Deleted") && contains($0.bytes, Array("<\(token)@".utf8))
      }.map { _ in box.name }
    }.sorted()
  }

  func remote(_ token: String, in mailbox: String = "INBOX") throws -> ModelMessage {
    let box = try #require(account[mailbox], "no mailbox \(mailbox)")
    return try #require(
      box.messages.first { contains($0.bytes, Array("<\(token)@".utf8)) },
      "no \(token) in \(mailbox)")
  }

  /// Messages in a mailbox that hold this text.
  func count(of text: String, in mailbox: String) -> Int {
    account[mailbox]?.messages.count { contains($0.bytes, Array(text.utf8)) } ?? 0
  }

  private var boxes: [ModelMailbox] {
    account.mailboxes.filter { $0.name != Self.allMail && $0.isSelectable }
  }

  // MARK: What a person and other clients do

  func move(_ token: String, to folder: String) throws { try reader.move(local(token), to: folder) }
  func remove(_ token: String) throws { try reader.remove(local(token)) }
  func setFlags(_ token: String, _ letters: String) throws {
    try reader.setFlags(local(token), letters)
  }

  func edit(_ token: String, adding line: String = "one more line") throws {
    let message = try local(token)
    try reader.rewrite(message, message.raw + Array("\(line)\n".utf8))
  }

  /// A new file.
  func deliver(_ token: String, to folder: String, flags: String = "") throws {
    try reader.deliver(
      SampleMessage(token: token).bytes.filter { $0 != 13 }, name: "17.1_\(token).host",
      to: folder, flags: flags)
  }

  /// A copy under another name.
  func copy(_ token: String, to folder: String) throws {
    let message = try local(token)
    try reader.deliver(
      message.raw, name: "17.2_\(token).host", to: folder, flags: message.flags)
  }

  func makeFolder(_ name: String) throws {
    for part in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(name)/\(part)", withIntermediateDirectories: true)
    }
  }

  func renameFolder(_ name: String, to new: String) throws {
    try FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: "\(path)/\(new)")
  }

  /// Another client moves it.
  func moveThere(_ token: String, from mailbox: String, to target: String) throws {
    let message = try remote(token, in: mailbox)
    account.change(mailbox) { $0.expunge(message.uid) }
    account.change(target) {
      $0.deliver(
        SampleMessage(bytes: message.bytes, date: message.date, flags: message.flags.sorted()),
        identity: message.identity)
    }
  }

  func expungeThere(_ token: String, in mailbox: String = "INBOX") throws {
    let message = try remote(token, in: mailbox)
    account.change(mailbox) { $0.expunge(message.uid) }
  }

  func setFlagsThere(_ token: String, _ flags: Set<String>, in mailbox: String = "INBOX") throws {
    let message = try remote(token, in: mailbox)
    account.change(mailbox) { $0.setFlags(message.uid, flags) }
  }

  // MARK: Agreement

  /// Both directions rest, and, if they are to agree, the tree shows what the server has.
  func expectSettled(
    _ when: String = "", agrees: Bool = true, location: SourceLocation = #_sourceLocation
  ) throws {
    for _ in 0..<2 { pull(location: location) }
    forget()
    push(location: location)
    #expect(changes == [], "\(when): a push at rest", sourceLocation: location)
    pull(location: location)
    #expect(bodyFetches == [], "\(when): a pull at rest", sourceLocation: location)
    guard agrees else { return }
    #expect(try differences() == [], "\(when)", sourceLocation: location)
  }

  /// Every message that only one side has, in words.
  func differences() throws -> [String] {
    let tree = try tree()
    // As letters they have a meaning in their folder alone.
    let showsKeywords = sync.keywords == .header
    let here = tree.messages.filter { $0.folder != Self.allMail }.map { message in
      let content = message.content()
      let keywords = showsKeywords ? message.keywords().map { $0.lowercased() } : []
      return Self.words(content, in: message.folder, message.flags.filter(\.isUppercase), keywords)
    }
    let there = boxes.flatMap { box in
      box.messages.filter { !$0.flags.contains("\\Deleted") }.map { message in
        let letters = [
          "\\Draft": "D", "\\Flagged": "F", "\\Answered": "R", "\\Seen": "S",
        ]
        return Self.words(
          message.bytes.filter { $0 != 13 }, in: box.name,
          message.flags.compactMap { letters[$0] }.sorted().joined(),
          showsKeywords
            ? message.flags.filter { !$0.hasPrefix("\\") }.map { $0.lowercased() } : [])
      }
    }
    let changes = here.sorted().difference(from: there.sorted()).map { change in
      switch change {
      case .insert(_, let message, _): "only here: \(message)"
      case .remove(_, let message, _): "only there: \(message)"
      }
    }
    return changes + tree.temporaries.map { "left: \($0)" }
  }

  private static func words(
    _ content: [UInt8], in folder: String, _ flags: String, _ keywords: [String]
  ) -> String {
    let text = String(decoding: content, as: UTF8.self)
    let name = text.firstMatch(of: /Message-ID: <([^@>\n]*)@/)?.output.1 ?? "nameless"
    return "\(name) in \(folder), \(flags) \(keywords.sorted()), \(content.count) bytes"
  }
}
