import MailTestKit
import Testing

/// A push that is cut off, what a reader does then, and where the message has to be in the end.
extension PushStage {
  enum Begun: CaseIterable { case upload, move }
  enum Afterwards: CaseIterable { case movesOn, movesBack, removes }

  static func interruptible(_ dialect: Dialect = .modern, sync: String = "") throws -> PushStage {
    try PushStage(dialect, sync: sync) { account in
      account.add("Other")
      account.change("Work") { $0.deliver(SampleMessage(token: "w0")) }
      account.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: ["\\Draft"])) }
    }
  }

  /// Of this message the push is cut off, on its way to Work.
  func begin(_ begun: Begun) throws -> String {
    switch begun {
    case .upload:
      try deliver("new", to: "Work")
      try killPush(at: "APPEND")
      return "new"
    case .move:
      try reader.move(local("m1"), to: "Work")
      try killPush(at: "UID MOVE")
      return "m1"
    }
  }

  /// - Returns: where the message belongs then.
  func act(_ afterwards: Afterwards, on token: String) throws -> String {
    let message = try local(token)
    switch afterwards {
    case .movesOn:
      // A reader's way of moving: under a new name.
      try reader.deliver(message.raw, name: "17.5_r.host", to: "Other")
      try reader.remove(message)
      return "Other"
    case .movesBack:
      try reader.move(message, to: "INBOX")
      return "INBOX"
    case .removes:
      try reader.remove(message)
      return "Trash"
    }
  }

  func expect(
    _ token: String, in place: String, location: SourceLocation = #_sourceLocation
  ) throws {
    for _ in 0..<3 {
      _ = try mirror.run(["push"])
      try mirror.pull()
    }
    #expect(places(token) == [place], sourceLocation: location)
    try expectSettled(location: location)
    #expect(places(token) == [place], sourceLocation: location)
    #expect(try mirror.tree().count(of: "<\(token)@") == 1, sourceLocation: location)
    _ = try local(token, in: place)
  }

  func refuseOnce(_ mailbox: String, times: Int = 1) {
    let left = Locked(times)
    server.alter { command, replies in
      guard ["EXAMINE", "SELECT"].contains(command.name), command.text.contains(mailbox),
        left.value > 0
      else { return replies }
      left.value -= 1
      return [.line("\(command.tag) NO [INUSE] in a moment")]
    }
  }
}

extension Dialect {
  /// Adds a line to what it takes, and does not tell where that lies.
  static let rewriting: Dialect = {
    var dialect = Dialect(capabilities: ["MOVE"])
    dialect.storing = { Array("X-Seen-By: server\r\n".utf8) + $0 }
    return dialect
  }()
}
