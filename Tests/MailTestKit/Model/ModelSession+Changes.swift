import Foundation

/// Commands that change mailboxes and messages.
extension ModelSession {
  /// Nil for a command that changes nothing.
  func change(_ command: ModelCommand) -> Response? {
    if let response = changeLabels(command) { return response }
    return switch command.name {
    case "UID STORE": store(command)
    case "UID COPY": transfer(command, moves: false)
    case "UID MOVE": dialect.has("MOVE") ? transfer(command, moves: true) : ([], "BAD no MOVE here")
    case "UID EXPUNGE":
      dialect.has("UIDPLUS") ? expunge(command) : ([], "BAD no UIDPLUS here")
    case "APPEND": append(command)
    case "CREATE": create(command)
    case "RENAME": rename(command)
    case "SUBSCRIBE", "UNSUBSCRIBE": ([], "OK done")
    default: nil
    }
  }

  private func named(_ command: ModelCommand) -> (box: ModelMailbox, uids: [UInt32])? {
    guard let name = command.mailbox, let box = account[name],
      let set = command.arguments.first?.text
    else { return nil }
    var ranges = numberRanges(set, highest: box.messages.last?.uid ?? 0)
    if dialect.actsOnNextUID {
      ranges = ranges.map { range in
        guard let next = box.messages.first(where: { $0.uid >= range.lowerBound }) else {
          return range
        }
        return min(range.lowerBound, next.uid)...max(range.upperBound, next.uid)
      }
    }
    return (box, box.messages.map(\.uid).filter { contains(ranges, $0) })
  }

  private func store(_ command: ModelCommand) -> Response {
    guard let (box, uids) = named(command) else { return ([], "BAD select a mailbox first") }
    var arguments = command.arguments.dropFirst()
    var since: UInt64?
    if let modifier = arguments.first?.list {
      since = modifier.dropFirst().first?.number
      arguments.removeFirst()
    }
    guard let kind = arguments.popFirst()?.text?.uppercased(),
      let values = arguments.popFirst()?.list?.compactMap(\.text)
    else { return ([], "BAD store what?") }
    var losers: [UInt32] = []
    account.change(box.name) { box in
      for uid in uids {
        guard let index = box.messages.firstIndex(where: { $0.uid == uid }) else { continue }
        if let since, box.messages[index].modSequence > since {
          losers.append(uid)
          continue
        }
        let now = box.messages[index].flags
        let wanted = Set(values)
        box.setFlags(
          uid,
          kind.hasPrefix("+")
            ? now.union(wanted) : kind.hasPrefix("-") ? now.subtracting(wanted) : wanted)
      }
    }
    if losers.isEmpty { return ([], "OK stored") }
    return ([], "OK [MODIFIED \(losers.map(String.init).joined(separator: ","))] not all")
  }

  private func transfer(_ command: ModelCommand, moves: Bool) -> Response {
    guard let (box, uids) = named(command), let name = command.arguments.dropFirst().first?.text
    else { return ([], "BAD select a mailbox first") }
    guard let target = account[name] else { return ([], "NO [TRYCREATE] no such mailbox") }
    guard !uids.isEmpty else { return ([], "OK nothing to do") }
    var places: [UInt32] = []
    account.change { boxes in
      guard let from = boxes.firstIndex(where: { $0.name == box.name }),
        let to = boxes.firstIndex(where: { $0.name == target.name })
      else { return }
      for uid in uids {
        guard var message = boxes[from].messages.first(where: { $0.uid == uid }) else { continue }
        boxes[to].highestModSequence += 1
        message.uid = boxes[to].uidNext
        if dialect.forgetsFlags { message.flags = [] }
        message.modSequence = boxes[to].highestModSequence
        boxes[to].uidNext += 1
        boxes[to].messages.append(message)
        places.append(message.uid)
        if moves { boxes[from].expunge(uid) }
      }
    }
    let code =
      dialect.has("UIDPLUS")
      ? "[COPYUID \(target.uidValidity) \(list(uids)) \(list(places))] " : ""
    if moves {
      return ((code.isEmpty ? [] : [bytes("* OK \(code)moved")]) + news(), "OK done")
    }
    return ([], "OK \(code)copied")
  }

  private func list(_ uids: [UInt32]) -> String { uids.map(String.init).joined(separator: ",") }

  private func expunge(_ command: ModelCommand) -> Response {
    guard let (box, uids) = named(command) else { return ([], "BAD select a mailbox first") }
    account.change(box.name) { box in
      for uid in uids
      where box.messages.contains(where: { $0.uid == uid && $0.flags.contains("\\Deleted") }) {
        box.expunge(uid)
      }
    }
    return (news(), "OK expunged")
  }

  private func append(_ command: ModelCommand) -> Response {
    var arguments = command.arguments[...]
    guard let name = arguments.popFirst()?.text, let message = arguments.popLast()?.bytes else {
      return ([], "BAD append what?")
    }
    guard account[name] != nil else { return ([], "NO [TRYCREATE] no such mailbox") }
    let given = arguments.first?.list?.compactMap(\.text) ?? []
    let flags = dialect.forgetsFlags ? [] : given
    let date = arguments.last?.text.flatMap(Self.seconds)
    var uid: UInt32 = 0
    var validity: UInt32 = 0
    account.change(name) { box in
      uid = box.deliver(
        SampleMessage(token: "appended", date: date ?? 1_600_000_000, flags: flags))
      box.messages[box.messages.count - 1].bytes = dialect.storing?(message) ?? message
      validity = box.uidValidity
    }
    return (news(), dialect.has("UIDPLUS") ? "OK [APPENDUID \(validity) \(uid)] taken" : "OK taken")
  }

  static func seconds(_ text: String) -> Int64? {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "d-MMM-yyyy HH:mm:ss Z"
    return format.date(from: text.trimmingCharacters(in: .whitespaces)).map {
      Int64($0.timeIntervalSince1970)
    }
  }

  private func create(_ command: ModelCommand) -> Response {
    guard let name = command.arguments.first?.text else { return ([], "BAD create what?") }
    if let there = account[name] {
      if there.isSelectable { return ([], "NO [ALREADYEXISTS] there") }
      account[name] = nil
    }
    let uses = command.arguments.dropFirst().first?.list?.last?.list?.compactMap(\.text) ?? []
    account.add(name, attributes: uses, uidValidity: 1_600_000_000)
    return ([], "OK made")
  }

  private func rename(_ command: ModelCommand) -> Response {
    guard command.arguments.count == 2, let old = command.arguments[0].text,
      let new = command.arguments[1].text, account[old] != nil
    else { return ([], "NO no such mailbox") }
    account.change { boxes in
      for index in boxes.indices
      where boxes[index].name == old || boxes[index].name.hasPrefix(old + dialect.delimiter) {
        boxes[index].name = new + boxes[index].name.dropFirst(old.count)
      }
    }
    return ([], "OK renamed")
  }
}
