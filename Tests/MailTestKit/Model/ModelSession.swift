/// The client of a ``ModelSession``: at the other end of a socket, or in memory.
protocol ModelWire: AnyObject {
  /// From 0, in the order of connections.
  var number: Int { get }
  /// The next command, its literals within; nil once the client is gone.
  func receive() -> [UInt8]?
  func send(raw bytes: [UInt8])
  func close()
  func reset()
}

extension ModelWire {
  /// Sends a line; CRLF is added.
  func send(_ line: String) { send(raw: Array(line.utf8) + [13, 10]) }
}

extension ScriptedServer.Session: ModelWire {}

/// One connection to a ``ModelServer``: its log-in, its selected mailbox, its view of the numbers.
final class ModelSession {
  let session: any ModelWire
  let account: MailAccount
  let dialect: Dialect
  private let hook: () -> ModelServer.Hook?
  private var isLoggedIn = false
  private(set) var isOver = false
  private var enabled: Set<String> = []
  private var selected: String?
  /// UIDs by sequence number, as this connection was told.
  private(set) var view: [UInt32] = []
  /// What lies below it was out of view when the mailbox was selected.
  private var floor: UInt32 = 0

  init(
    _ session: any ModelWire, _ account: MailAccount, _ dialect: Dialect,
    hook: @escaping () -> ModelServer.Hook?
  ) {
    self.session = session
    self.account = account
    self.dialect = dialect
    self.hook = hook
  }

  func run() {
    greet()
    while !isOver, let command = session.receive() { handle(command) }
  }

  func greet() {
    let greeting = ModelCommand(
      tag: "*", name: "GREETING", arguments: [], text: "", mailbox: nil,
      connection: session.number)
    perform(greeting, [.line(dialect.greeting)])
  }

  func handle(_ line: [UInt8]) {
    guard let command = parse(line) else { return session.send("* BAD what?") }
    perform(command, answer(command))
  }

  private func perform(_ command: ModelCommand, _ honest: [Reply]) {
    for reply in hook()?(command, honest) ?? honest {
      switch reply {
      case .line(let bytes): session.send(raw: bytes + [13, 10])
      case .raw(let bytes): session.send(raw: bytes)
      case .pause(let seconds): pause(seconds)
      case .hangUp:
        session.close()
        isOver = true
      case .reset:
        session.reset()
        isOver = true
      }
      if isOver { return }
    }
  }

  private func parse(_ line: [UInt8]) -> ModelCommand? {
    guard let values = try? IMAPValue.values(in: line), values.count >= 2,
      let tag = values[0].text, var name = values[1].text?.uppercased()
    else { return nil }
    var arguments = Array(values.dropFirst(2))
    if name == "UID", let verb = arguments.first?.text {
      name += " " + verb.uppercased()
      arguments.removeFirst()
    }
    let text = String(decoding: line.dropFirst(tag.utf8.count + 1), as: UTF8.self)
    return ModelCommand(
      tag: tag, name: name, arguments: arguments, text: text, mailbox: selected,
      connection: session.number)
  }

  private func answer(_ command: ModelCommand) -> [Reply] {
    if let refusal = dialect.refusing?(command) { return [.line("\(command.tag) \(refusal)")] }
    let (untagged, completion) = isLoggedIn ? respond(command) : respondBeforeLogIn(command)
    return untagged.map { Reply.line($0) } + [.line("\(command.tag) \(completion)")]
  }

  typealias Response = (untagged: [[UInt8]], completion: String)

  private func respondBeforeLogIn(_ command: ModelCommand) -> Response {
    switch command.name {
    case "CAPABILITY": return ([capabilityLine], "OK done")
    case "ID", "NOOP", "LOGOUT": return respond(command)
    case "LOGIN":
      return logIn(command.arguments.dropFirst().first?.text == dialect.password)
    case "AUTHENTICATE":
      guard command.arguments.first?.text?.uppercased() == "PLAIN" else {
        return ([], "NO no such mechanism")
      }
      var initial = command.arguments.dropFirst().first?.text
      if initial == nil {
        session.send("+ ")
        initial = session.receive().map { String(decoding: $0, as: UTF8.self) }
      }
      let credentials = initial.flatMap { decodeBase64($0) } ?? []
      let password = credentials.split(separator: 0, omittingEmptySubsequences: false).last ?? []
      return logIn(String(decoding: password, as: UTF8.self) == dialect.password)
    default: return ([], "BAD log in first")
    }
  }

  private func logIn(_ isRight: Bool) -> Response {
    guard isRight else { return ([], "NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)") }
    isLoggedIn = true
    let list = dialect.capabilities.sorted().joined(separator: " ")
    return ([], dialect.volunteersCapabilities ? "OK [CAPABILITY \(list)] in" : "OK in")
  }

  private var capabilityLine: [UInt8] {
    let known = isLoggedIn ? dialect.capabilities : dialect.publicCapabilities
    return bytes("* CAPABILITY " + known.sorted().joined(separator: " "))
  }

  private func respond(_ command: ModelCommand) -> Response {
    switch command.name {
    case "CAPABILITY": return ([capabilityLine], "OK done")
    case "NOOP", "CHECK": return (selected == nil ? [] : news(), "OK done")
    case "LOGOUT":
      defer { isOver = true }
      return ([bytes("* BYE till soon")], "OK out")
    case "ID":
      let name = dialect.name.map { "(\"name\" \"\($0)\")" } ?? "NIL"
      return ([bytes("* ID \(name)")], "OK done")
    case "NAMESPACE":
      let (prefix, delimiter) = (dialect.namePrefix, dialect.delimiter)
      let shared = dialect.sharedPrefix.map { "((\"\($0)\" \"\(delimiter)\"))" } ?? "NIL"
      return (
        [bytes("* NAMESPACE ((\"\(prefix)\" \"\(delimiter)\")) NIL \(shared)")], "OK done"
      )
    case "ENABLE":
      let wanted = command.arguments.compactMap { $0.text?.uppercased() }
      let known = wanted.filter { dialect.has($0) }
      enabled.formUnion(known)
      return (
        dialect.confirmsEnable ? [bytes("* ENABLED " + known.joined(separator: " "))] : [],
        "OK done"
      )
    case "LIST", "LSUB", "XLIST": return list(command)
    case "STATUS": return status(command)
    case "SELECT", "EXAMINE": return select(command)
    case "UNSELECT", "CLOSE":
      (selected, view) = (nil, [])
      return ([], "OK done")
    case "UID FETCH", "FETCH": return withMailbox { fetch(command, in: $0) }
    case "UID SEARCH", "SEARCH": return withMailbox { search(command, in: $0) }
    default: return change(command) ?? ([], "NO this model knows no \(command.name)")
    }
  }

  private func withMailbox(_ body: (ModelMailbox) -> Response) -> Response {
    guard let selected else { return ([], "BAD select a mailbox first") }
    guard var box = account[selected] else { return ([], "NO the mailbox is gone") }
    box.messages.removeAll { $0.uid < floor }
    return body(box)
  }

  /// What changed in the selected mailbox since this connection last heard.
  func news() -> [[UInt8]] {
    guard let selected, var box = account[selected] else { return [] }
    box.messages.removeAll { $0.uid < floor }
    let now = Set(box.messages.map(\.uid))
    var lines: [[UInt8]] = []
    for (index, uid) in view.enumerated().reversed() where !now.contains(uid) {
      lines.append(
        bytes(enabled.contains("QRESYNC") ? "* VANISHED \(uid)" : "* \(index + 1) EXPUNGE"))
      view.remove(at: index)
    }
    let known = Set(view)
    let fresh = box.messages.map(\.uid).filter { !known.contains($0) }
    if !fresh.isEmpty {
      view += fresh
      lines.append(bytes("* \(view.count) EXISTS"))
    }
    return lines
  }

  /// What the dialect lets be seen of a mailbox.
  func shown(_ box: ModelMailbox) -> ModelMailbox {
    var box = box
    if let limit = dialect.viewLimit, box.messages.count > limit {
      box.messages.removeFirst(box.messages.count - limit)
    }
    if let start = dialect.viewStart {
      box.messages.removeAll { $0.date < start && !$0.flags.contains("\\Draft") }
    }
    return box
  }

  private func select(_ command: ModelCommand) -> Response {
    (selected, view) = (nil, [])
    guard let name = command.arguments.first?.text, let whole = account[name], whole.isSelectable
    else {
      return ([], "NO [NONEXISTENT] no such mailbox")
    }
    let box = shown(whole)
    floor = dialect.viewLimit == nil && dialect.viewStart == nil ? 0 : box.messages.first?.uid ?? 0
    selected = box.name
    view = box.messages.map(\.uid)
    let keywords = Set(box.messages.flatMap(\.flags)).filter { !$0.hasPrefix("\\") }.sorted()
    let flags = (["\\Answered", "\\Flagged", "\\Deleted", "\\Seen", "\\Draft"] + keywords).joined(
      separator: " ")
    var lines = [
      "* FLAGS (\(flags))",
      "* OK [PERMANENTFLAGS (\(flags)\(dialect.takesNewKeywords ? " \\*" : ""))] kept",
      "* \(box.messages.count) EXISTS", "* 0 RECENT", "* OK [UIDVALIDITY \(box.uidValidity)] valid",
      "* OK [UIDNEXT \(box.uidNext)] next",
    ]
    if dialect.has("CONDSTORE") {
      lines.append("* OK [HIGHESTMODSEQ \(box.highestModSequence)] highest")
    }
    if dialect.has("OBJECTID") { lines.append("* OK [MAILBOXID (\(box.identity))] identity") }
    var untagged = lines.map { bytes($0) }
    if dialect.has("QRESYNC"), let known = quickResync(command, box) {
      untagged += changes(in: box, since: known)
    }
    let access = command.name == "EXAMINE" ? "READ-ONLY" : "READ-WRITE"
    return (untagged, "OK [\(access)] selected")
  }

  /// The MODSEQ of `(QRESYNC (uidvalidity modseq …))`, where the UIDVALIDITY is right.
  private func quickResync(_ command: ModelCommand, _ box: ModelMailbox) -> UInt64? {
    guard let parameters = command.arguments.dropFirst().first?.list,
      let at = parameters.firstIndex(where: { $0.text?.uppercased() == "QRESYNC" }),
      at + 1 < parameters.count, let values = parameters[at + 1].list, values.count >= 2,
      values[0].number == UInt64(box.uidValidity)
    else { return nil }
    enabled.insert("QRESYNC")
    return values[1].number
  }

  private func changes(in box: ModelMailbox, since known: UInt64) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    let gone = box.expunged.filter { $0.modSequence > known }.map(\.uid).sorted()
    if !gone.isEmpty {
      lines.append(bytes("* VANISHED (EARLIER) " + gone.map(String.init).joined(separator: ",")))
    }
    for (index, message) in box.messages.enumerated() where message.modSequence > known {
      lines.append(fetchLine(index + 1, message, ["UID", "FLAGS", "MODSEQ"]))
    }
    return lines
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// RFC 4648; nil for anything else.
func decodeBase64(_ text: String) -> [UInt8]? {
  var bits: UInt32 = 0
  var count = 0
  var decoded: [UInt8] = []
  for byte in text.utf8 where byte != UInt8(ascii: "=") {
    let value: UInt8
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte + 4
    case UInt8(ascii: "+"): value = 62
    case UInt8(ascii: "/"): value = 63
    default: return nil
    }
    bits = bits << 6 | UInt32(value)
    count += 6
    if count >= 8 {
      count -= 8
      decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
  }
  return decoded
}
