import Foundation
import MailTestKit

/// An account on a server of its own habits, its tree, and what both ought to be: a story is played out here.
final class PushWorld {
  let scenario: Scenario
  let server: PushServer
  /// Where the server is a model.
  let account: MailAccount?
  /// The person's, each with a tree of its own.
  let machines: [MirrorProgram]
  var mirror: MirrorProgram { machines[model.machines.number] }
  var reader: Reader { Reader(mirror) }
  var model: PushModel
  /// Of mailboxes whose names are like others', as the anchors told.
  var twinFolders: [String: String] = [:]
  private(set) var story: PushStory
  /// Folders that were replaced by an older copy of themselves, and their copies.
  var aside: [String: String] = [:]
  /// The program, while it is at work.
  private var child: Child?
  /// One that runs all along.
  private let watch: PushWatch?
  var looks: Int { watch?.looks ?? 0 }
  private var names = 0

  /// Mailboxes that are there from the beginning, besides those for drafts and trash.
  static let mailboxes = ["Archive", "INBOX", "Sent", "one", "two"]

  init(server index: Int, themes: Set<PushTheme> = []) throws {
    server = PushServer.all[index % PushServer.all.count]
    (scenario, account) = try server.scenario()
    var machines = [scenario.mirror]
    if themes.contains(.machines) {
      machines.append(
        try MirrorProgram(AccountSettings(port: scenario.proxy.port, user: scenario.user)))
    }
    self.machines = machines
    model = PushModel(mailboxes: Self.mailboxes, themes: themes)
    story = PushStory(server: index, themes: themes)
    for name in ["one", "two"] { try scenario.client.create(name) }
    // The tree with all its folders.
    for machine in machines { try machine.pull() }
    watch = themes.contains(.watched) ? try PushWatch(scenario.mirror) : nil
  }

  /// A story from its beginning; what is wrong, in words.
  static func play(_ story: PushStory) throws -> [String] {
    let world = try PushWorld(server: story.server, themes: story.themes)
    for event in story.events {
      let problems = try world.tell(event)
      if !problems.isEmpty { return problems }
    }
    return try world.tell(.sync)
  }

  /// Lets one thing happen, if it may; what is wrong then, in words.
  func tell(_ event: PushEvent) throws -> [String] {
    guard model.allows(event) else { return [] }
    story.events.append(event)
    switch event {
    case .start: try start()
    case .pause(let milliseconds):
      // A watch waits for seconds before it does something.
      pause(Double(milliseconds) / (watch == nil ? 1000 : 40))
    case .cut(let isPush, let down, let up): try cut(isPush, down, up)
    case .confirm: try confirm()
    case .carry(let isWhole): try carry(isWhole)
    case .changeMachine: break
    case .sync:
      if let watch {
        model.note(event)
        return try watch.rest { try compare() } + checkPush()
      }
      let problems = try sync()
      model.note(event)
      return try problems.isEmpty ? check() : problems
    default:
      guard try event.isHere == true ? actHere(event) : actThere(event) else {
        // While the program is at work a file may be out of sight.
        return model.isBusy ? [] : ["nothing to do it with: \(event)"]
      }
    }
    model.note(event)
    return []
  }

  // MARK: The program

  private func start() throws {
    // Slow enough to be met at work.
    scenario.proxy.conditions.delay = 0.004
    child = try mirror.start("sync", "--no-index")
  }

  private func cut(_ isPush: Bool, _ down: Int?, _ up: Int?) throws {
    var conditions = TCPProxy.Conditions()
    (conditions.cutDown, conditions.cutUp) = (down, up)
    scenario.proxy.conditions = conditions
    _ = try mirror.run(isPush ? ["push"] : ["pull", "--no-index"])
    scenario.proxy.conditions = .init()
  }

  private func sync() throws -> [String] {
    if let child {
      let outcome = try child.wait(limit: 300)
      self.child = nil
      scenario.proxy.conditions = .init()
      guard [0, 1].contains(outcome.status ?? -1) else {
        return ["sync among others: \(outcome.summary) \(scenario.serverLog())"]
      }
    }
    // Marks that waited here when the other side moved the message follow with the pull, and go with the next push;
    // a renumbered mailbox is matched by the pull first.
    let runs = mayTakeLonger ? 3 : 2
    for number in 1...runs {
      let outcome = try mirror.run(["sync", "--no-index"])
      guard outcome.status != 0, !(outcome.status == 1 && mayWait(outcome, before: runs - number))
      else { continue }
      return ["sync \(number): \(outcome.summary) \(scenario.serverLog())"]
    }
    return []
  }

  /// Whether a run may say that something waits for the next one.
  func mayWait(_ outcome: Outcome, before left: Int) -> Bool {
    if model.heldCount > 0, outcome.errorText.contains("nothing of it is deleted") { return true }
    // An edit of what is no draft any more.
    if story.themes.contains(.roles), outcome.errorText.contains("the edit stays on this side") {
      return true
    }
    guard left > 0 else { return false }
    if mayTakeLonger { return true }
    // Behind a pull that was cut off new mail waits for the next one.
    return model.wasCut && outcome.errorText.contains("a pull has to finish first")
  }

  private var mayTakeLonger: Bool {
    model.wasBusy || model.isUnsettled || !model.renumbered.isEmpty
  }

  // MARK: The reader

  private func actHere(_ event: PushEvent) throws -> Bool {
    switch event {
    case .mark(let token, let mark, let sets):
      return try withFile(of: token) { try set(mark, sets, on: $0) }
    case .move(let token, let target):
      return try withFile(of: token) { try reader.move($0, to: folder(of: target)) }
    case .save(let token, let target):
      return try withFile(of: token) { file in
        try place(file.raw, "18.\(newNumber()).\(token).host", in: folder(of: target), file.flags)
        try reader.remove(file)
      }
    case .copy(let token, let target):
      return try withFile(of: token) {
        try place($0.raw, $0.base, in: folder(of: target), $0.flags)
      }
    case .remove(let token): return try withFile(of: token) { try reader.remove($0) }
    case .write(let token, let folder):
      try place(
        SampleMessage(token: token).bytes.filter { $0 != 13 }, "17.\(token).host",
        in: self.folder(of: folder), "S")
    case .makeFolder(let name):
      for part in ["tmp", "new", "cur"] {
        try FileManager.default.createDirectory(
          atPath: "\(reader.account)/\(name)/\(part)", withIntermediateDirectories: true)
      }
    case .editDraft(let token, let version):
      return try withFile(of: token) { file in
        let old = model.drafts[token]?.local ?? 0
        let text = String(decoding: file.raw, as: UTF8.self)
          .replacingOccurrences(of: Self.text(old), with: Self.text(version))
        try reader.rewrite(file, Array(text.utf8))
      }
    case .edit(let token):
      return try withFile(of: token) {
        try reader.rewrite($0, $0.raw + Array("edited here\n".utf8))
      }
    case .keepCopy(let folder): try keepCopy(of: folder)
    case .putBack(let folder): try putBack(folder)
    case .bringBack(let folder): return try bringBack(folder)
    default: return false
    }
    return true
  }

  private func set(_ mark: String, _ sets: Bool, on file: LocalMessage) throws {
    if let letter = RandomMessage.letters.first(where: { $0.0 == mark.lowercased() })?.1 {
      guard file.flags.contains(letter) != sets else { return }
      try reader.setFlags(
        file, sets ? file.flags + [letter] : file.flags.filter { $0 != letter })
    } else {
      let others = file.keywords().filter { $0.lowercased() != mark.lowercased() }
      try reader.setKeywords(file, (sets ? others.union([mark]) : others).sorted())
    }
  }

  /// Looks for a message's file, and again where the program had it renamed meanwhile.
  private func withFile(of token: String, _ work: (LocalMessage) throws -> Void) throws -> Bool {
    for attempt in 1...40 {
      do {
        if let file = try mirror.tree().message(with: "<\(token)@") {
          try work(file)
          return true
        }
        guard model.isBusy else { return false }
      } catch let error {
        guard model.isBusy, attempt < 40 else { throw error }
      }
      pause(0.003)
    }
    return false
  }

  /// As all programs deliver: whole, or not at all.
  func place(_ bytes: [UInt8], _ name: String, in folder: String, _ flags: String) throws {
    let temporary = "\(reader.account)/\(folder)/tmp/\(newNumber()).host"
    try writeFile(temporary, bytes)
    let path = "\(reader.account)/\(folder)/cur/\(name):2,\(flags)"
    guard rename(temporary, path) == 0 else { throw KitError("rename \(path): \(errno)") }
  }

  func newNumber() -> Int {
    names += 1
    return names
  }

  /// What tells one version of a draft from the others; each is of another length.
  static func text(_ version: Int) -> String {
    "version \(version)" + String(repeating: ".", count: version) + ";"
  }
}
