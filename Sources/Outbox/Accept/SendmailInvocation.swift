/// A command line as sendmail(8) takes it: values follow their letter or are joined to it, letters
/// without values may be joined, and what concerns a daemon is accepted and means nothing here.
package struct SendmailInvocation: Equatable, Sendable {
  package var recipients: [String] = []
  package var takesHeaderRecipients = false
  package var ignoresDots = false
  package var sender: String?
  package var fullName: String?
  package var account: String?
  package var notify: String?
  package var config: String?
  package var sendsStubText = false
  package var wantsHelp = false
  package var verbosity = 0

  /// -q alone: to a sendmail it asks for a run of the queue, to mirror for silence.
  private var hasBareQ = false

  // What follows a letter.
  /// Joined, or the next argument.
  private static let valued = Set("aABCDeFfhLMNOoprRVX")
  /// Joined only, or nothing.
  private static let optional = Set("bdqQ")
  private static let plain = Set("iIGmnstUv")

  /// - Throws: `unusable` for an option that is none, or that asks for a daemon.
  package init(_ arguments: [String]) throws(AcceptanceError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        recipients += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        recipients.append(argument)
        continue
      }
      if argument.hasPrefix("--") {
        try long(argument, &rest)
      } else {
        try letters(argument.dropFirst(), &rest)
      }
    }
    if hasBareQ, recipients.isEmpty, !takesHeaderRecipients {
      throw .unusable(option: "-q", .sendsQueue)
    }
  }

  private mutating func letters(_ word: Substring, _ rest: inout ArraySlice<String>)
    throws(AcceptanceError)
  {
    var word = word
    while let letter = word.popFirst() {
      if Self.plain.contains(letter) {
        take(letter)
      } else if Self.optional.contains(letter) {
        try take(letter, value: String(word))
        return
      } else if Self.valued.contains(letter) {
        if word.isEmpty {
          guard let next = rest.popFirst() else {
            throw .unusable(option: "-\(letter)", .noValue)
          }
          try take(letter, value: next)
        } else {
          try take(letter, value: String(word))
        }
        return
      } else {
        throw .unusable(option: "-\(letter)", .unknown)
      }
    }
  }

  private mutating func take(_ letter: Character) {
    switch letter {
    case "i": ignoresDots = true
    case "t": takesHeaderRecipients = true
    case "v": verbosity += 1
    default: break  // -m (me too), -n (no aliases), -G, -U, -s, -I
    }
  }

  private mutating func take(_ letter: Character, value: String) throws(AcceptanceError) {
    switch letter {
    case "a": account = value
    case "f", "r": sender = value
    case "F": fullName = value
    case "N": notify = try Self.notify(value)
    case "o": if value == "i" { ignoresDots = true }
    case "O": if Self.setsIgnoreDots(value) { ignoresDots = true }
    case "b":
      // -bm, or nothing: mail from standard input. -bp would list the queue.
      guard value == "m" || value.isEmpty else {
        throw .unusable(option: "-b\(value)", value == "p" ? .listsQueue : .daemon)
      }
    case "q":
      guard value.isEmpty else { throw .unusable(option: "-q\(value)", .sendsQueue) }
      hasBareQ = true
    case "B":
      guard ["7BIT", "8BITMIME"].contains(value.uppercased()) else {
        throw .unusable(option: "-B", .noBodyType(value))
      }
    default: break  // -A -C -D -d -e -h -L -M -p -Q -R -V -X
    }
  }

  private mutating func long(_ argument: String, _ rest: inout ArraySlice<String>)
    throws(AcceptanceError)
  {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    switch name {
    case "--help": wantsHelp = true
    case "--quiet": break
    case "--force": sendsStubText = true
    case "--verbose": verbosity += 1
    case "--config", "--account", "--format", "--from":
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
        throw .unusable(option: name, .noValue)
      }
      if name == "--config" { config = value }
      if name == "--account" { account = value }
      if name == "--from" { sender = value }  // msmtp's
    case "--read-envelope-from": break  // msmtp's: From is read anyway
    case "--read-recipients": takesHeaderRecipients = true
    default: throw .unusable(option: name, .unknown)
    }
  }

  // notify-esmtp-value = "NEVER" / notify-list-element *("," …), RFC 3461 §4.1
  private static func notify(_ value: String) throws(AcceptanceError) -> String {
    let words = value.uppercased().split(separator: ",").map(String.init)
    let isList = words.allSatisfy { ["SUCCESS", "FAILURE", "DELAY"].contains($0) }
    guard !words.isEmpty, words == ["NEVER"] || isList else {
      throw .unusable(option: "-N", .noNotification(value))
    }
    return words.joined(separator: ",")
  }

  private static func setsIgnoreDots(_ value: String) -> Bool {
    let text = value.lowercased()
    return text == "ignoredots" || text == "ignoredots=true"
  }
}
