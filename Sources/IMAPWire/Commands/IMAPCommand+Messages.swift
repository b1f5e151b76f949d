import MailCore

/// What FETCH is to bring; the UID comes by itself (RFC 9051 §6.4.5).
package struct FetchItems: OptionSet, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let flags = FetchItems(rawValue: 1)
  package static let internalDate = FetchItems(rawValue: 2)
  package static let size = FetchItems(rawValue: 4)
  package static let modSeq = FetchItems(rawValue: 8)
  package static let emailID = FetchItems(rawValue: 16)
  package static let threadID = FetchItems(rawValue: 32)
  package static let gmailIDs = FetchItems(rawValue: 64)
  package static let gmailLabels = FetchItems(rawValue: 128)
  /// The header, by PEEK: \Seen stays as it is.
  package static let header = FetchItems(rawValue: 256)
  /// The whole message, by PEEK.
  package static let body = FetchItems(rawValue: 512)
  package static let structure = FetchItems(rawValue: 1024)

  // Bodies come last: what stands before a body is known when the body begins.
  static let names: [(FetchItems, String)] = [
    (.flags, "FLAGS"), (.internalDate, "INTERNALDATE"), (.size, "RFC822.SIZE"),
    (.modSeq, "MODSEQ"), (.emailID, "EMAILID"), (.threadID, "THREADID"),
    (.gmailIDs, "X-GM-MSGID X-GM-THRID"), (.gmailLabels, "X-GM-LABELS"),
    (.structure, "BODYSTRUCTURE"),
    (.header, "BODY.PEEK[HEADER]"), (.body, "BODY.PEEK[]"),
  ]

  /// The item of this name, in any case; empty where none is asked for by it.
  static func named(_ word: some Sequence<UInt8>) -> FetchItems {
    let name = Keywords.fold(String(decoding: Array(word), as: UTF8.self))
    let found = names.first {
      $0.1.split(separator: " ").contains { Keywords.fold(String($0)) == name }
    }
    return found?.0 ?? []
  }
}

/// How STORE changes flags (RFC 9051 §6.4.6).
package enum StoreChange: String, Sendable {
  case add = "+"
  case remove = "-"
}

extension IMAPCommand {
  // fetch = "FETCH" SP sequence-set SP … [SP "(" fetch-modifiers ")"], RFC 7162 §7
  /// - Parameters:
  ///   - headerFields: fetched as one BODY.PEEK[HEADER.FIELDS (…)].
  ///   - sections: fetched by PEEK, in this order.
  ///   - vanished: needs QRESYNC and `changedSince`; tells of expunges (RFC 7162 §3.2.6).
  package static func uidFetch(
    _ set: UIDSet, _ items: FetchItems, headerFields: [String] = [],
    sections: [BodySection] = [], changedSince: ModSequence? = nil, vanished: Bool = false
  ) -> IMAPCommand {
    var command = IMAPCommand("UID FETCH")
    command.add(" ")
    // Cyrus reads 1:* as ending at the highest message, and forgets what was expunged above it.
    command.add(set, avoidsStar: vanished)
    var words = FetchItems.names.lazy.filter { items.contains($0.0) }.map(\.1) + []
    if !headerFields.isEmpty {
      words.append("BODY.PEEK[HEADER.FIELDS (\(headerFields.joined(separator: " ")))]")
    }
    words += sections.map(\.peek)
    command.add(words.isEmpty ? " (UID)" : " (\(words.joined(separator: " ")))")
    if let changedSince {
      command.add(" (CHANGEDSINCE \(changedSince)\(vanished ? " VANISHED" : ""))")
    }
    return command
  }

  // store-att-flags = (["+" / "-"] "FLAGS" [".SILENT"]) SP (flag-list …), RFC 9051 §9
  package static func uidStore(
    _ set: UIDSet, _ change: StoreChange, flags: MessageFlags, keywords: [String] = [],
    unchangedSince: ModSequence? = nil, silent: Bool = true
  ) throws(CommandError) -> IMAPCommand {
    var command = IMAPCommand("UID STORE", mayTakeLong: true)
    command.add(" ")
    command.add(set)
    if let unchangedSince { command.add(" (UNCHANGEDSINCE \(unchangedSince))") }
    command.add(" \(change.rawValue)FLAGS\(silent ? ".SILENT" : "") ")
    try command.add(flags: flags, keywords: keywords)
    return command
  }

  /// Changes Gmail labels; `labels` are encoded like mailbox names.
  package static func uidStoreLabels(
    _ set: UIDSet, _ change: StoreChange, _ labels: [[UInt8]]
  ) -> IMAPCommand {
    var command = IMAPCommand("UID STORE", mayTakeLong: true)
    command.add(" ")
    command.add(set)
    command.add(" \(change.rawValue)X-GM-LABELS (")
    for (index, label) in labels.enumerated() {
      if index > 0 { command.add(" ") }
      command.add(string: label)
    }
    command.add(")")
    return command
  }

  package static func uidCopy(_ set: UIDSet, to rawName: [UInt8]) -> IMAPCommand {
    transfer("UID COPY", set, rawName)
  }

  /// RFC 6851.
  package static func uidMove(_ set: UIDSet, to rawName: [UInt8]) -> IMAPCommand {
    transfer("UID MOVE", set, rawName)
  }

  private static func transfer(_ name: String, _ set: UIDSet, _ rawName: [UInt8]) -> IMAPCommand {
    var command = IMAPCommand(name, mayTakeLong: true)
    command.add(" ")
    command.add(set)
    command.add(mailbox: rawName)
    return command
  }

  /// Exactly these UIDs, of those marked \Deleted (RFC 4315 §2.1). There is no box-wide EXPUNGE here.
  package static func uidExpunge(_ set: UIDSet) -> IMAPCommand {
    var command = IMAPCommand("UID EXPUNGE", mayTakeLong: true)
    command.add(" ")
    command.add(set)
    return command
  }

  mutating func add(flags: MessageFlags, keywords: [String]) throws(CommandError) {
    var names = Self.flagNames.filter { flags.contains($0.0) }.map(\.1)
    for keyword in keywords {
      guard Self.isKeyword(keyword) else { throw .invalidKeyword(keyword) }
      names.append(keyword)
    }
    add("(\(names.joined(separator: " ")))")
  }

  private static let flagNames: [(MessageFlags, String)] = [
    (.answered, "\\Answered"), (.flagged, "\\Flagged"), (.deleted, "\\Deleted"),
    (.seen, "\\Seen"), (.draft, "\\Draft"), (.forwarded, "$Forwarded"),
  ]

  /// Whether a server can carry the name as a flag-keyword: an atom (RFC 9051 §9).
  package static func isKeyword(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        byte > 0x20 && byte < 0x7F && !Self.atomSpecials.contains(byte)
      }
  }

  private static let atomSpecials = Array("(){%*\"\\]".utf8)
}
