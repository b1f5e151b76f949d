import MailCore

/// How much SELECT is to tell of what changed (RFC 7162 §3.1.8, §3.2.5).
package enum SelectSync: Sendable, Equatable {
  case plain
  case condstore
  /// `known`: UIDs that are known here, where they are not all below UIDNEXT.
  case qresync(UIDValidity, ModSequence, known: UIDSet? = nil)
}

/// What STATUS is to tell (RFC 9051 §6.3.11, RFC 7162, RFC 8438, RFC 8474).
package struct StatusItems: OptionSet, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let messages = StatusItems(rawValue: 1)
  package static let uidNext = StatusItems(rawValue: 2)
  package static let uidValidity = StatusItems(rawValue: 4)
  package static let highestModSeq = StatusItems(rawValue: 8)
  package static let mailboxID = StatusItems(rawValue: 16)
  package static let unseen = StatusItems(rawValue: 32)
  package static let size = StatusItems(rawValue: 64)

  private static let names: [(StatusItems, String)] = [
    (.messages, "MESSAGES"), (.uidNext, "UIDNEXT"), (.uidValidity, "UIDVALIDITY"),
    (.highestModSeq, "HIGHESTMODSEQ"), (.mailboxID, "MAILBOXID"), (.unseen, "UNSEEN"),
    (.size, "SIZE"),
  ]

  var text: String {
    Self.names.lazy.filter { contains($0.0) }.map(\.1).joined(separator: " ")
  }
}

/// What LIST is to tell besides (RFC 5258 §3, RFC 5819, RFC 6154 §2).
package struct ListReturn: Sendable {
  package var subscribed = false
  package var specialUse = false
  package var children = false
  package var status: StatusItems = []

  package init(
    subscribed: Bool = false, specialUse: Bool = false, children: Bool = false,
    status: StatusItems = []
  ) {
    self.subscribed = subscribed
    self.specialUse = specialUse
    self.children = children
    self.status = status
  }

  var words: [String] {
    var words: [String] = []
    if subscribed { words.append("SUBSCRIBED") }
    if children { words.append("CHILDREN") }
    if specialUse { words.append("SPECIAL-USE") }
    if !status.isEmpty { words.append("STATUS (\(status.text))") }
    return words
  }
}

extension IMAPCommand {
  // select = "SELECT" SP mailbox [SP "(" select-param *(SP select-param) ")"], RFC 4466 §2.4
  package static func select(
    _ rawName: [UInt8], readOnly: Bool = false, sync: SelectSync = .plain
  ) -> IMAPCommand {
    var command = IMAPCommand(readOnly ? "EXAMINE" : "SELECT", mayTakeLong: true)
    command.add(mailbox: rawName)
    switch sync {
    case .plain: break
    case .condstore: command.add(" (CONDSTORE)")
    case .qresync(let validity, let modSeq, let known):
      command.add(" (QRESYNC (\(validity) \(modSeq)")
      if let known, !known.isEmpty { command.add(" \(known)") }
      command.add("))")
    }
    return command
  }

  /// LIST of everything that `pattern` matches; the extended form only where `returning` asks for something.
  package static func list(
    _ pattern: String = "*", returning: ListReturn = ListReturn()
  ) -> IMAPCommand {
    var command = IMAPCommand("LIST")
    command.add(" \"\" ")
    command.add(string: Array(pattern.utf8))
    let words = returning.words
    if !words.isEmpty { command.add(" RETURN (\(words.joined(separator: " ")))") }
    return command
  }

  package static func status(_ rawName: [UInt8], _ items: StatusItems) -> IMAPCommand {
    var command = IMAPCommand("STATUS")
    command.add(mailbox: rawName)
    command.add(" (\(items.text))")
    return command
  }

  /// - Parameter use: only where the server has CREATE-SPECIAL-USE (RFC 6154 §3).
  package static func create(_ rawName: [UInt8], use: SpecialUse? = nil) -> IMAPCommand {
    var command = named("CREATE", rawName)
    if let use { command.add(" (USE (\\\(use.rawValue.capitalisedASCII)))") }
    return command
  }

  /// Needs ACL (RFC 4314 §3.5).
  package static func myRights(_ rawName: [UInt8]) -> IMAPCommand { named("MYRIGHTS", rawName) }
  package static func subscribe(_ rawName: [UInt8]) -> IMAPCommand { named("SUBSCRIBE", rawName) }
  package static func unsubscribe(_ rawName: [UInt8]) -> IMAPCommand {
    named("UNSUBSCRIBE", rawName)
  }

  package static func rename(_ rawName: [UInt8], to newName: [UInt8]) -> IMAPCommand {
    var command = named("RENAME", rawName)
    command.add(mailbox: newName)
    return command
  }

  private static func named(_ name: String, _ rawName: [UInt8]) -> IMAPCommand {
    var command = IMAPCommand(name)
    command.add(mailbox: rawName)
    return command
  }

  mutating func add(mailbox rawName: [UInt8]) {
    add(" ")
    add(string: rawName)
  }
}

extension String {
  /// `trash` as `Trash`.
  fileprivate var capitalisedASCII: String { prefix(1).asciiUppercasedText + dropFirst() }
}

extension Substring {
  fileprivate var asciiUppercasedText: String { String(self).asciiUppercased }
}
