import GRDB
import MailCore

/// Counts how much addresses are in use: mail from them, and the owner's mail to them.
///
/// The owner's addresses are those that the configuration names, and the senders of what lies in a
/// folder for sent mail.
struct AddressUse {
  private let db: Database

  init(_ db: Database) { self.db = db }

  /// A message came (`sign` 1) or goes (-1); its rows are there in either case.
  func count(_ message: Int64, sign: Int64) throws {
    let find = try RowStatement(db, "SELECT date FROM message WHERE id = ?")
    find.bind(message, at: 1)
    let date = try find.number() ?? 0
    let isOwn = try isOwn(message)
    for id in try addresses(of: message, "role = 1") {
      try count("received", id, sign, date)
      if sign < 0 { try findLast("received", id, without: message, date) }
    }
    guard isOwn else { return }
    for id in try addresses(of: message, "role > 1") {
      try count("sent", id, sign, date)
      if sign < 0 { try findLast("sent", id, without: message, date) }
    }
  }

  private func isOwn(_ message: Int64) throws -> Bool {
    let find = try RowStatement(
      db,
      """
      SELECT 1 FROM message_address AS a JOIN address AS p ON p.id = a.address
      WHERE a.message = ? AND a.role = 1 AND p.is_own
      """)
    find.bind(message, at: 1)
    return try find.number() != nil
  }

  func addresses(of message: Int64, _ roles: String = "role > 0") throws -> Set<Int64> {
    let find = try RowStatement(
      db, "SELECT address FROM message_address WHERE message = ? AND \(roles)")
    find.bind(message, at: 1)
    var found: Set<Int64> = []
    try find.forEachRow { found.insert($0.number(0)) }
    return found
  }

  private func count(_ what: String, _ address: Int64, _ sign: Int64, _ date: Int64) throws {
    let update = try RowStatement(
      db,
      """
      UPDATE address SET \(what) = \(what) + ?2, last_\(what) = max(last_\(what), ?3) WHERE id = ?1
      """)
    update.bind(address, at: 1)
    update.bind(sign, at: 2)
    update.bind(sign > 0 ? date : 0, at: 3)
    try update.run()
  }

  /// Looks for the last use of an address, where it was the message that goes.
  private func findLast(_ what: String, _ address: Int64, without message: Int64, _ date: Int64)
    throws
  {
    let condition =
      what == "received"
      ? "a.role = 1"
      : """
      a.role > 1 AND EXISTS (SELECT 1 FROM message_address AS o JOIN address AS own
        ON own.id = o.address WHERE o.message = a.message AND o.role = 1 AND own.is_own)
      """
    let update = try RowStatement(
      db,
      """
      UPDATE address SET last_\(what) = ifnull((
        SELECT m.date FROM message_address AS a JOIN message AS m ON m.id = a.message
        WHERE a.address = ?1 AND a.message <> ?2 AND \(condition)
        ORDER BY m.date DESC LIMIT 1), 0) WHERE id = ?1 AND last_\(what) = ?3
      """)
    update.bind(address, at: 1)
    update.bind(message, at: 2)
    update.bind(date, at: 3)
    try update.run()
  }

  /// Whether a message that lies in a folder for sent mail has a sender not yet known as the owner.
  func revealsOwner(_ message: Int64) throws -> Bool {
    let find = try RowStatement(
      db,
      """
      SELECT 1 FROM message_address AS a JOIN address AS p ON p.id = a.address
      WHERE a.message = ? AND a.role = 1 AND NOT p.is_own
      """)
    find.bind(message, at: 1)
    return try find.number() != nil
  }

  /// Marks the addresses that the configuration names. Returns whether one of them is news.
  func own(_ addresses: [String]) throws -> Bool {
    var isNews = false
    for address in addresses where !address.isEmpty {
      let known = try RowStatement(db, "SELECT 1 FROM address WHERE address = ? AND is_own")
      known.bind(address, at: 1)
      if try known.number() != nil { continue }
      isNews = true
      try db.execute(
        sql: """
          INSERT INTO address(address, name_date, is_own) VALUES (?, ?, 1)
          ON CONFLICT DO UPDATE SET is_own = 1, address = CASE
            WHEN excluded.address > address COLLATE BINARY THEN excluded.address ELSE address END
          """, arguments: [address, Int64.min])
    }
    return isNews
  }
}

/// Folders for sent mail, by the names that mail programs give them.
enum SentFolder {
  static func isOne(_ name: String) -> Bool {
    let last = name.split(separator: "/").last.map(String.init) ?? name
    return names.contains(last.lowercased())
  }

  private static let names: Set<String> = [
    "sent", "sent mail", "sent items", "sent messages", "sent-mail", "sentmail", "outbox",
    "gesendet", "gesendete elemente", "gesendete objekte", "gesendete nachrichten", "envoyés",
    "éléments envoyés", "messages envoyés", "objets envoyés", "enviados", "elementos enviados",
    "mensajes enviados", "itens enviados", "mensagens enviadas", "inviati", "posta inviata",
    "messaggi inviati", "verzonden", "verzonden items", "verzonden berichten", "skickat",
    "skickade objekt", "sendt", "sendte elementer", "sendt post", "lähetetyt", "wysłane",
    "elementy wysłane", "odeslaná pošta", "odeslané", "elküldött elemek", "отправленные",
    "надіслані",
    "已发送", "已发送邮件", "寄件備份", "送信済み", "送信済みアイテム", "보낸편지함",
  ]
}
