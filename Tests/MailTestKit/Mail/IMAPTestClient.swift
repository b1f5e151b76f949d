import Foundation

/// What the server holds of one message: the truth that trees are compared with.
package struct ServerMessage: Sendable, Hashable {
  package var uid: UInt32
  package var flags: Set<String>
  /// Unix seconds.
  package var date: Int64
  /// As BODY[] gives them.
  package var bytes: [UInt8]
}

/// A small blocking IMAP client: the second person who changes the account, and the oracle.
///
/// Only for one thread at a time. Commands that the server refuses throw.
package final class IMAPTestClient {
  private let socket: Socket
  private var reader: LineReader
  private var counter = 0
  package private(set) var capabilities: Set<String> = []

  package init(port: UInt16, user: String, password: String) throws {
    socket = try Socket(connectingTo: port)
    reader = LineReader(socket)
    guard reader.line() != nil else { throw KitError("no greeting at port \(port)") }
    try command("LOGIN \(Self.quoted(user)) \(Self.quoted(password))")
    for line in try command("CAPABILITY") where line.first?.text == "CAPABILITY" {
      capabilities = Set(line.compactMap(\.text))
    }
  }

  deinit { socket.close() }

  package func logout() {
    _ = try? command("LOGOUT")
    socket.close()
  }

  /// Sends one command and returns its untagged responses, without their `*`.
  @discardableResult
  package func command(_ text: String) throws -> [[IMAPValue]] { try command(Array(text.utf8)) }

  @discardableResult
  package func command(_ text: [UInt8]) throws -> [[IMAPValue]] {
    counter += 1
    let tag = "t\(counter)"
    socket.write(Array("\(tag) ".utf8) + text + [13, 10])
    var responses: [[IMAPValue]] = []
    while let line = reader.lineWithLiterals() {
      if line.starts(with: Array("\(tag) ".utf8)) {
        let rest = String(decoding: line.dropFirst(tag.utf8.count + 1), as: UTF8.self)
        guard rest.uppercased().hasPrefix("OK") else {
          throw KitError("\(String(decoding: text.prefix(200), as: UTF8.self)): \(rest)")
        }
        completion = rest
        return responses
      }
      let told = "* OK [PERMANENTFLAGS "
      if line.starts(with: Array(told.utf8)) {
        permanentFlags = String(decoding: line.dropFirst(told.utf8.count), as: UTF8.self)
      }
      if line.starts(with: Array("* ".utf8)) {
        let words = Array(line.dropFirst(2))
        // Human text after a status need not balance.
        responses.append((try? IMAPValue.values(in: words)) ?? [.string(words)])
      }
    }
    throw KitError("connection lost in \(String(decoding: text.prefix(200), as: UTF8.self))")
  }

  /// What the mailbox that was opened last keeps, as the server said it.
  package private(set) var permanentFlags = ""

  /// The text of the last tagged OK.
  package private(set) var completion = ""

  package static func quoted(_ text: String) -> String {
    "\""
      + text.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"") + "\""
  }
}

// MARK: - Mailboxes

extension IMAPTestClient {
  package func create(_ mailbox: String) throws { try command("CREATE \(Self.quoted(mailbox))") }
  package func delete(_ mailbox: String) throws { try command("DELETE \(Self.quoted(mailbox))") }
  package func rename(_ mailbox: String, to name: String) throws {
    try command("RENAME \(Self.quoted(mailbox)) \(Self.quoted(name))")
  }
  package func select(_ mailbox: String) throws { try command("SELECT \(Self.quoted(mailbox))") }

  /// All selectable mailboxes, sorted.
  package func mailboxes() throws -> [String] {
    try command("LIST \"\" \"*\"").compactMap { line in
      guard line.count >= 4, line[0].text?.uppercased() == "LIST", let name = line[3].text
      else { return nil }
      let attributes = (line[1].list ?? []).compactMap { $0.text?.lowercased() }
      return attributes.contains("\\noselect") || attributes.contains("\\nonexistent") ? nil : name
    }.sorted()
  }

  /// STATUS items by name.
  package func status(_ mailbox: String, _ items: String = "MESSAGES UIDNEXT UIDVALIDITY") throws
    -> [String: UInt64]
  {
    var values: [String: UInt64] = [:]
    for line in try command("STATUS \(Self.quoted(mailbox)) (\(items))") {
      guard line.count >= 3, line[0].text == "STATUS", let pairs = line[2].list else { continue }
      for index in stride(from: 0, to: pairs.count - 1, by: 2) {
        values[pairs[index].text ?? ""] = pairs[index + 1].number
      }
    }
    return values
  }
}

// MARK: - Messages

extension IMAPTestClient {
  /// Delivers messages, many to a command where the server can.
  package func append(_ messages: [SampleMessage], to mailbox: String = "INBOX") throws {
    guard capabilities.contains("LITERAL+") else {
      for message in messages { try appendWaiting(message, to: mailbox) }
      return
    }
    let multiple = capabilities.contains("MULTIAPPEND")
    var batch: [UInt8] = []
    var count = 0
    func flush() throws {
      guard count > 0 else { return }
      try command(Array("APPEND \(Self.quoted(mailbox))".utf8) + batch)
      (batch, count) = ([], 0)
    }
    for message in messages {
      let flags = message.flags.joined(separator: " ")
      let head = " (\(flags)) \"\(internalDateText(message.date))\" {\(message.bytes.count)+}\r\n"
      batch += Array(head.utf8)
      batch += message.bytes
      count += 1
      if !multiple || count == 200 || batch.count > 4_000_000 { try flush() }
    }
    try flush()
  }

  /// Where the server has to ask for a literal.
  private func appendWaiting(_ message: SampleMessage, to mailbox: String) throws {
    counter += 1
    let tag = "t\(counter)"
    let flags = message.flags.joined(separator: " ")
    let date = internalDateText(message.date)
    let head =
      "\(tag) APPEND \(Self.quoted(mailbox)) (\(flags)) \"\(date)\" {\(message.bytes.count)}\r\n"
    socket.write(Array(head.utf8))
    while let line = reader.line() {
      if line.first == UInt8(ascii: "+") {
        socket.write(message.bytes + [13, 10])
      } else if line.starts(with: Array("\(tag) ".utf8)) {
        let rest = String(decoding: line.dropFirst(tag.utf8.count + 1), as: UTF8.self)
        guard rest.uppercased().hasPrefix("OK") else { throw KitError("APPEND: \(rest)") }
        return
      }
    }
    throw KitError("connection lost in APPEND")
  }

  package func append(_ message: SampleMessage, to mailbox: String = "INBOX") throws {
    try append([message], to: mailbox)
  }

  /// - Parameter change: `+FLAGS`, `-FLAGS` or `FLAGS`.
  package func store(_ uids: [UInt32], _ change: String, _ flags: [String], in mailbox: String)
    throws
  {
    try select(mailbox)
    try command("UID STORE \(Self.set(uids)) \(change) (\(flags.joined(separator: " ")))")
  }

  package func copy(_ uids: [UInt32], from mailbox: String, to target: String) throws {
    try select(mailbox)
    try command("UID COPY \(Self.set(uids)) \(Self.quoted(target))")
  }

  package func move(_ uids: [UInt32], from mailbox: String, to target: String) throws {
    try select(mailbox)
    try command("UID MOVE \(Self.set(uids)) \(Self.quoted(target))")
  }

  package func expunge(_ uids: [UInt32], in mailbox: String) throws {
    try store(uids, "+FLAGS", ["\\Deleted"], in: mailbox)
    try command("UID EXPUNGE \(Self.set(uids))")
  }

  /// Every message of a mailbox by UID, without marking any as seen.
  package func messages(in mailbox: String) throws -> [ServerMessage] {
    try command("EXAMINE \(Self.quoted(mailbox))")
    let found = try fetch("1:*", "(UID FLAGS INTERNALDATE BODY.PEEK[])")
    return found.sorted { $0.uid < $1.uid }
  }

  package func uids(in mailbox: String) throws -> [UInt32] {
    try command("EXAMINE \(Self.quoted(mailbox))")
    return try command("UID SEARCH ALL").flatMap { line in
      line.first?.text == "SEARCH" ? line.compactMap { $0.number.map { UInt32($0) } } : []
    }
  }

  /// The UID of the message whose Message-ID is `<token@example.org>`.
  package func uid(of token: String, in mailbox: String) throws -> UInt32 {
    try select(mailbox)
    let lines = try command("UID SEARCH HEADER Message-ID \"<\(token)@example.org>\"")
    for line in lines where line.first?.text == "SEARCH" {
      if let number = line.dropFirst().first?.number { return UInt32(number) }
    }
    throw KitError("no message \(token) in \(mailbox)")
  }

  private func fetch(_ set: String, _ items: String) throws -> [ServerMessage] {
    try command("UID FETCH \(set) \(items)").compactMap { line in
      guard line.count >= 3, line[1].text == "FETCH", let pairs = line[2].list else { return nil }
      var message = ServerMessage(uid: 0, flags: [], date: 0, bytes: [])
      for index in stride(from: 0, to: pairs.count - 1, by: 2) {
        let value = pairs[index + 1]
        switch pairs[index].text {
        case "UID": message.uid = UInt32(value.number ?? 0)
        case "FLAGS": message.flags = Set((value.list ?? []).compactMap(\.text))
        case "INTERNALDATE": message.date = value.text.flatMap { internalDate($0) } ?? 0
        case "BODY[]": message.bytes = value.bytes ?? []
        default: break
        }
      }
      return message
    }
  }

  static func set(_ uids: [UInt32]) -> String { uids.map(String.init).joined(separator: ",") }
}
