import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An account whose mail another program has brought: its tree, and its configuration where that program, and
/// `mirror adopt`, look for it.
struct OldTree {
  let scenario: Scenario
  var home: String { scenario.mirror.home }
  static let hasOfflineimap = findProgram("offlineimap") != nil

  /// Forty messages with all kinds of flags in four mailboxes, one of them with a name that is not ASCII.
  init(sync: String = "") throws {
    scenario = try Scenario(sync: sync)
    try scenario.fill(25)
    for (number, name) in ["Archive/2024", "Entw&APw-rfe", "Sent"].enumerated() {
      try scenario.client.create(name)
      try scenario.fill(4, seed: UInt64(number + 5), mailbox: name)
    }
    try scenario.append(["k1", "k2", "k3"], flags: ["\\Flagged", "\\Seen"])
  }

  /// Brings the mail with mbsync.
  ///
  /// - Parameters:
  ///   - store: of the Maildir store: where, and in which style. `~` is the home.
  ///   - channels: between `:far:` and `:near:`; the rest of their settings is added.
  func mbsync(_ store: String, channels: [String] = ["Far :far:\nNear :near:\nPatterns *"]) throws {
    var text = """
      IMAPAccount a
      Host 127.0.0.1
      Port \(scenario.proxy.port)
      User \(scenario.user)
      Pass pw
      SSLType None
      AuthMechs LOGIN

      IMAPStore far
      Account a

      MaildirStore near
      \(store)


      """
    for (number, channel) in channels.enumerated() {
      text +=
        "Channel c\(number)\n\(channel)\nCreate Near\nSync Pull\nSyncState *\nCopyArrivalDate yes\n\n"
    }
    try writeFile(home + "/.mbsyncrc", text)
    try runSuccessfully(["mbsync", "-q", "-a"], environment: environment)
  }

  /// Brings the mail with offlineimap.
  ///
  /// - Parameter local: more lines of the local repository.
  func offlineimap(into directory: String, _ local: String) throws {
    try writeFile(
      home + "/.offlineimaprc",
      """
      [general]
      accounts = a
      metadata = ~/.offlineimap

      [Account a]
      localrepository = here
      remoterepository = there

      [Repository here]
      type = Maildir
      localfolders = \(directory)
      \(local)

      [Repository there]
      type = IMAP
      remotehost = 127.0.0.1
      remoteport = \(scenario.proxy.port)
      remoteuser = \(scenario.user)
      remotepass = pw
      ssl = no
      starttls = no
      auth_mechanisms = LOGIN
      readonly = yes

      """)
    try runSuccessfully(
      ["offlineimap", "-o", "-u", "basic", "-c", home + "/.offlineimaprc"],
      environment: environment)
  }

  var environment: [String: String] {
    ["HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"]
  }

  @discardableResult
  func adopt(
    _ status: Int32 = 0, _ arguments: String..., more: [String: String] = [:],
    location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    scenario.proxy.forget()
    let outcome = try scenario.mirror.run(["adopt"] + arguments, more: more)
    #expect(outcome.ending == .exited(status), "\(outcome.summary)", sourceLocation: location)
    #expect(scenario.proxy.connections == 0, "no server is asked", sourceLocation: location)
    return outcome
  }

  /// Pulls, and expects that nothing is fetched, and that the tree then shows what the server holds, each message once.
  func expectAdopted(location: SourceLocation = #_sourceLocation) throws {
    try scenario.pull(location: location)
    #expect(scenario.bodyFetches == [], "nothing is downloaded", sourceLocation: location)
    #expect(try localStates() == serverStates(), sourceLocation: location)
    try scenario.expectQuiet(location: location)
  }

  /// Of each message on the server: mailbox, Message-ID and flags, sorted.
  private func serverStates() throws -> [String] {
    var states: [String] = []
    for mailbox in try scenario.client.mailboxes() {
      for message in try scenario.client.messages(in: mailbox) {
        let letters = ExpectedMessage(bytes: [], flags: message.flags, date: 0).letters
        states.append("\(Self.decoded(mailbox)) \(Self.id(message.bytes)) \(letters)")
      }
    }
    return states.sorted()
  }

  private func localStates() throws -> [String] {
    try scenario.mirror.tree().messages.map { message in
      let name =
        message.folder.hasPrefix(".")
        ? String(message.folder.dropFirst()).replacing(".", with: "/") : message.folder
      return "\(name.isEmpty ? "INBOX" : name) \(Self.id(message.raw)) \(message.flags)"
    }.sorted()
  }

  private static func decoded(_ mailbox: String) -> String {
    mailbox.replacing("&APw-", with: "ü")
  }

  static func id(_ bytes: [UInt8]) -> String {
    for line in bytes.split(separator: 10) where line.count > 11 {
      if String(decoding: line.prefix(11), as: UTF8.self).lowercased() == "message-id:" {
        return String(decoding: line.dropFirst(11), as: UTF8.self).filter { !$0.isWhitespace }
      }
    }
    return "none"
  }
}
