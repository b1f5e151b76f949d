/// Commands that change messages where mailboxes are labels (``LabelledMail``).
extension ModelSession {
  /// Nil for a command that means the same everywhere.
  func changeLabels(_ command: ModelCommand) -> Response? {
    guard dialect.has("X-GM-EXT-1") else { return nil }
    switch command.name {
    case "UID STORE": return storeLabelled(command)
    case "UID COPY", "UID MOVE": return transferLabelled(command)
    case "UID EXPUNGE":
      return withOpen(command) { mail, box, uids in
        for uid in uids { mail.expunge(uid, in: box) }
        return "OK Success"
      }
    case "APPEND": return appendLabelled(command)
    default: return nil
    }
  }

  /// With the labels that a FETCH shows.
  func labelled(_ message: ModelMessage, in box: ModelMailbox) -> ModelMessage {
    guard dialect.has("X-GM-EXT-1") else { return message }
    let mail = LabelledMail(account.mailboxes, dialect.labels)
    guard let own = mail.index(box.name) else { return message }
    var shown = message
    shown.labels = mail.labels(of: message, in: own)
    return shown
  }

  private func withOpen(
    _ command: ModelCommand, _ body: (inout LabelledMail, Int, [UInt32]) -> String
  ) -> Response {
    guard let name = command.mailbox, let set = command.arguments.first?.text else {
      return ([], "BAD select a mailbox first")
    }
    let completion = account.change { boxes -> String in
      var mail = LabelledMail(boxes, dialect.labels)
      guard let box = mail.index(name) else { return "NO the mailbox is gone" }
      let ranges = numberRanges(set, highest: boxes[box].messages.last?.uid ?? 0)
      let uids = boxes[box].messages.map(\.uid).filter { contains(ranges, $0) }
      defer { boxes = mail.boxes }
      return body(&mail, box, uids)
    }
    return (news(), completion)
  }

  private func storeLabelled(_ command: ModelCommand) -> Response {
    var arguments = command.arguments.dropFirst()
    var since: UInt64?
    if let modifier = arguments.first?.list, arguments.count > 2 {
      since = modifier.dropFirst().first?.number
      arguments.removeFirst()
    }
    guard let kind = arguments.popFirst()?.text?.uppercased(),
      let values = arguments.popFirst()?.list?.compactMap(\.text)
    else { return ([], "BAD Could not parse command") }
    return withOpen(command) { mail, box, uids in
      var losers: [String] = []
      for uid in uids {
        guard let message = mail.message(uid, in: box) else { continue }
        if let since, message.modSequence > since {
          losers.append(String(uid))
          continue
        }
        if kind.contains("X-GM-LABELS") {
          for name in values where kind.hasPrefix("+") {
            mail.addLabel(name, to: message, openIn: box)
          }
          for name in values where kind.hasPrefix("-") {
            mail.removeLabel(name, from: message, openIn: box)
          }
        } else {
          let wanted = Set(values)
          mail.store(uid, in: box) { now in
            kind.hasPrefix("+")
              ? now.union(wanted) : kind.hasPrefix("-") ? now.subtracting(wanted) : wanted
          }
        }
      }
      return losers.isEmpty
        ? "OK Success" : "OK [MODIFIED \(losers.joined(separator: ","))] Conditional STORE failed"
    }
  }

  private func transferLabelled(_ command: ModelCommand) -> Response {
    guard let name = command.arguments.dropFirst().first?.text, let target = account[name] else {
      return ([], "NO [TRYCREATE] No folder \(command.text) (Failure)")
    }
    let moves = command.name == "UID MOVE"
    var pairs: [(UInt32, UInt32)] = []
    var (untagged, completion) = withOpen(command) { mail, box, uids in
      guard let to = mail.index(target.name) else { return "NO gone" }
      for uid in uids {
        guard let message = mail.message(uid, in: box) else { continue }
        let place = moves ? mail.move(uid, from: box, to: to) : mail.put(message, into: to)
        if let place, dialect.labels.tellsOfKnown || !place.isKnown {
          pairs.append((uid, place.uid))
        }
      }
      return "OK Success"
    }
    guard completion.hasPrefix("OK"), !pairs.isEmpty else { return (untagged, completion) }
    let from = pairs.map { String($0.0) }.joined(separator: ",")
    let to = pairs.map { String($0.1) }.joined(separator: ",")
    let code = "[COPYUID \(target.uidValidity) \(from) \(to)]"
    if moves {
      untagged.insert(bytes("* OK \(code)"), at: 0)
    } else {
      completion = "OK \(code) (Success)"
    }
    return (untagged, completion)
  }

  private func appendLabelled(_ command: ModelCommand) -> Response {
    var arguments = command.arguments[...]
    guard let name = arguments.popFirst()?.text, let message = arguments.popLast()?.bytes else {
      return ([], "BAD append what?")
    }
    guard let box = account[name] else { return ([], "NO [TRYCREATE] no such mailbox") }
    let sample = SampleMessage(
      bytes: message, date: arguments.last?.text.flatMap(Self.seconds) ?? 1_600_000_000,
      flags: arguments.first?.list?.compactMap(\.text) ?? [])
    let place = account.change { boxes -> (uid: UInt32, isKnown: Bool)? in
      var mail = LabelledMail(boxes, dialect.labels)
      defer { boxes = mail.boxes }
      return mail.index(box.name).map { mail.append(sample, to: $0) }
    }
    guard let place else { return ([], "NO gone") }
    let tells = dialect.labels.tellsOfKnown || !place.isKnown
    return (
      news(), tells ? "OK [APPENDUID \(box.uidValidity) \(place.uid)] (Success)" : "OK Success"
    )
  }
}
