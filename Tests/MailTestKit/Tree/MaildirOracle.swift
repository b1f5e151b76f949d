/// Everything a tree has to show of one message.
package struct ExpectedMessage: Sendable, Hashable {
  /// As the server sends it.
  package var bytes: [UInt8]
  package var flags: Set<String>
  package var date: Int64

  package init(bytes: [UInt8], flags: Set<String>, date: Int64) {
    self.bytes = bytes
    self.flags = flags
    self.date = date
  }

  static let letters: [(flag: String, letter: Character)] = [
    ("\\draft", "D"), ("\\flagged", "F"), ("$forwarded", "P"), ("\\answered", "R"), ("\\seen", "S"),
    ("\\deleted", "T"),
  ]

  /// Flags as Maildir writes them.
  package var letters: String {
    let folded = Set(flags.map { $0.lowercased() })
    return String(Self.letters.filter { folded.contains($0.flag) }.map(\.letter))
  }

  package var keywords: Set<String> {
    Set(
      flags.filter { !$0.hasPrefix("\\") && $0.lowercased() != "$forwarded" }.map {
        $0.lowercased()
      })
  }
}

/// An account as its server holds it: mailbox → messages.
package typealias AccountState = [String: [ExpectedMessage]]

extension IMAPTestClient {
  /// The state of all selectable mailboxes, or of those named.
  package func state(of mailboxes: [String]? = nil) throws -> AccountState {
    var state: AccountState = [:]
    for name in try mailboxes ?? self.mailboxes() {
      state[name] = try messages(in: name).map {
        ExpectedMessage(bytes: $0.bytes, flags: $0.flags, date: $0.date)
      }
    }
    return state
  }
}

extension MailAccount {
  package var state: AccountState {
    var state: AccountState = [:]
    for box in mailboxes where box.isSelectable {
      state[box.name] = box.messages.map {
        ExpectedMessage(bytes: $0.bytes, flags: $0.flags, date: $0.date)
      }
    }
    return state
  }
}

/// Compares a tree with what it ought to be.
package struct MaildirOracle: Sendable {
  package var keywordsHeader = "X-Keywords"
  /// Files keep the server's CRLF.
  package var keepsCRLF = false
  /// The folder of a mailbox; nil where it must have none.
  package var folder: @Sendable (String) -> String? = { $0 }
  package var allowsTemporaries = false
  package var checksKeywords = true
  /// Header fields that the server writes into messages and changes with their flags; each begins a line.
  package var unstableFields: [String] = []
  /// As other tools leave them: file names with flags in `new/`, dates of their own.
  package var allowsForeignNames = false

  package init() {}

  /// Every difference in words; empty where the tree shows the state exactly.
  package func differences(_ tree: MaildirTree, _ state: AccountState) -> [String] {
    var problems: [String] = []
    var seen = Set<String>()
    for (mailbox, messages) in state.sorted(by: { $0.key < $1.key }) {
      guard let folder = folder(mailbox) else { continue }
      seen.insert(folder)
      if !tree.folders.contains(folder) { problems.append("no folder for \(mailbox)") }
      problems += differences(folder, tree[folder], messages)
    }
    for folder in tree.folders where !seen.contains(folder) && !tree[folder].isEmpty {
      problems.append("folder \(folder) with \(tree[folder].count) messages is no mailbox")
    }
    if !allowsTemporaries { problems += tree.temporaries.map { "orphan \($0)" } }
    return problems.count > 12
      ? problems.prefix(12) + ["and \(problems.count - 12) more"] : problems
  }

  private func differences(_ folder: String, _ local: [LocalMessage], _ remote: [ExpectedMessage])
    -> [String]
  {
    var problems: [String] = []
    var waiting = Dictionary(grouping: remote) { stable(fileBytes($0.bytes)) }
    for message in local {
      let content = stable(message.content(header: keywordsHeader))
      guard var candidates = waiting[content], !candidates.isEmpty else {
        problems.append("\(message.path): \(name(of: content)) is not on the server, or here twice")
        continue
      }
      let at = candidates.firstIndex { matches(message, $0).isEmpty } ?? 0
      problems += matches(message, candidates[at]).map { "\(message.path): \($0)" }
      candidates.remove(at: at)
      waiting[content] = candidates
    }
    for missing in waiting.values.joined() {
      problems.append("\(folder): \(name(of: missing.bytes)) is missing")
    }
    return problems
  }

  private func stable(_ bytes: [UInt8]) -> [UInt8] {
    guard !unstableFields.isEmpty else { return bytes }
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    let end = lines.firstIndex { $0.isEmpty } ?? lines.count
    let kept = lines[..<end].filter { line in
      !unstableFields.contains { line.starts(with: Array($0.utf8)) }
    }
    lines.replaceSubrange(..<end, with: kept)
    return Array(lines.joined(separator: [10]))
  }

  private func matches(_ local: LocalMessage, _ remote: ExpectedMessage) -> [String] {
    var problems: [String] = []
    let letters = String(local.flags.filter { "DFPRST".contains($0) })
    if letters != remote.letters { problems.append("flags \(letters), not \(remote.letters)") }
    if !allowsForeignNames, local.subdirectory == "new", !local.flags.isEmpty {
      problems.append("flags in new/")
    }
    if local.modified != remote.date {
      problems.append("date \(local.modified), not \(remote.date)")
    }
    if checksKeywords {
      let keywords = Set(local.keywords(header: keywordsHeader).map { $0.lowercased() })
      if keywords != remote.keywords {
        problems.append("keywords \(keywords.sorted()), not \(remote.keywords.sorted())")
      }
    }
    return problems
  }

  /// CRLF turned to LF, but only where the way back would be exact.
  package func fileBytes(_ bytes: [UInt8]) -> [UInt8] {
    guard !keepsCRLF else { return bytes }
    var converted: [UInt8] = []
    converted.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 10 { return bytes }
      if byte == 13 {
        guard index + 1 < bytes.count, bytes[index + 1] == 10 else { return bytes }
        index += 1
      }
      converted.append(byte == 13 ? 10 : byte)
      index += 1
    }
    return converted
  }

  private func name(of message: [UInt8]) -> String {
    let text = String(decoding: message.prefix(4000), as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).first {
      $0.lowercased().hasPrefix("message-id:")
    }
    return line.map(String.init) ?? "\(message.count) bytes"
  }
}
