/// What a person set in the account, for servers where mailboxes are labels.
package struct LabelSettings: Sendable {
  package enum LastLabel: Sendable { case archive, trash, deleteForever }

  /// `\Deleted` expunges at once.
  package var expungesAtOnce = true
  /// What becomes of a message that is expunged from its last mailbox.
  package var lastLabel = LastLabel.archive
  /// A label that is new shows as a mailbox.
  package var showsNewLabels = true
  /// COPYUID and APPENDUID also tell of messages that the target had before.
  package var tellsOfKnown = true

  package init() {}
}

/// Mailboxes as Gmail's labels: one message is in the mailboxes of all its labels, with the same flags in each; all but
/// those in Trash and Spam are in All Mail, and what is in Trash or Spam is in no other.
struct LabelledMail {
  var boxes: [ModelMailbox]
  let settings: LabelSettings

  init(_ boxes: [ModelMailbox], _ settings: LabelSettings) {
    self.boxes = boxes
    self.settings = settings
  }

  func index(_ name: String) -> Int? {
    boxes.firstIndex { $0.name == name || $0.name == "INBOX" && name.uppercased() == "INBOX" }
  }

  func has(_ box: Int, _ attribute: String) -> Bool { boxes[box].attributes.contains(attribute) }
  private func isExclusive(_ box: Int) -> Bool { has(box, "\\Trash") || has(box, "\\Junk") }
  private func special(_ attribute: String) -> Int? {
    boxes.firstIndex { $0.attributes.contains(attribute) }
  }

  func message(_ uid: UInt32, in box: Int) -> ModelMessage? {
    boxes[box].messages.first { $0.uid == uid }
  }

  private func copy(of identity: UInt64, in box: Int) -> ModelMessage? {
    boxes[box].messages.first { $0.identity == identity }
  }

  // MARK: Labels

  private func label(_ box: Int) -> String {
    let names = [
      "\\Sent": "\\Sent", "\\Drafts": "\\Draft", "\\Flagged": "\\Starred",
      "\\Important": "\\Important", "\\Trash": "\\Trash", "\\Junk": "\\Spam",
    ]
    if boxes[box].name == "INBOX" { return "\\Inbox" }
    return boxes[box].attributes.lazy.compactMap { names[$0] }.first ?? boxes[box].name
  }

  /// As X-GM-LABELS tells them: not the one of the mailbox itself.
  func labels(of message: ModelMessage, in own: Int) -> [String] {
    var labels = message.labels.filter { $0 != label(own) }
    for box in boxes.indices where box != own && !has(box, "\\All") {
      if copy(of: message.identity, in: box) != nil, !labels.contains(label(box)) {
        labels.append(label(box))
      }
    }
    return labels
  }

  mutating func addLabel(_ name: String, to message: ModelMessage, openIn own: Int) {
    var box = boxes.indices.first { label($0) == name || boxes[$0].name == name }
    if box == nil, !name.hasPrefix("\\"), settings.showsNewLabels {
      boxes.append(
        ModelMailbox(name: name, uidValidity: 1_700_000_000, identity: "label-\(name)"))
      box = boxes.count - 1
    }
    if let box {
      put(message, into: box)
    } else {
      changeAll(message.identity) { if !$0.labels.contains(name) { $0.labels.append(name) } }
    }
    changeAll(message.identity) { _ in }
  }

  /// The label of the open mailbox is none that could be taken off.
  mutating func removeLabel(_ name: String, from message: ModelMessage, openIn own: Int) {
    guard name != label(own), name != boxes[own].name else { return }
    let box = boxes.indices.first { label($0) == name || boxes[$0].name == name }
    if let box, let there = copy(of: message.identity, in: box) {
      boxes[box].expunge(there.uid)
      if has(box, "\\Flagged") { changeAll(message.identity) { $0.flags.remove("\\Flagged") } }
    }
    changeAll(message.identity) { $0.labels.removeAll { $0 == name } }
  }

  // MARK: Copies

  /// Changes a message in all its mailboxes; each gets a new MODSEQ.
  private mutating func changeAll(_ identity: UInt64, _ change: (inout ModelMessage) -> Void) {
    for box in boxes.indices {
      for index in boxes[box].messages.indices
      where boxes[box].messages[index].identity == identity {
        boxes[box].highestModSequence += 1
        change(&boxes[box].messages[index])
        boxes[box].messages[index].modSequence = boxes[box].highestModSequence
      }
    }
  }

  /// - Returns: its UID there, and whether it was there before.
  @discardableResult
  mutating func put(_ message: ModelMessage, into box: Int) -> (uid: UInt32, isKnown: Bool) {
    if let there = copy(of: message.identity, in: box) { return (there.uid, true) }
    for other in boxes.indices where other != box {
      let leaves = isExclusive(box) || isExclusive(other)
      if leaves, let there = copy(of: message.identity, in: other) {
        boxes[other].expunge(there.uid)
      }
    }
    let uid = add(message, to: box)
    if !isExclusive(box), let all = special("\\All"), copy(of: message.identity, in: all) == nil {
      add(message, to: all)
    }
    if has(box, "\\Flagged") { changeAll(message.identity) { $0.flags.insert("\\Flagged") } }
    return (uid, false)
  }

  @discardableResult
  private mutating func add(_ message: ModelMessage, to box: Int) -> UInt32 {
    var copy = message
    boxes[box].highestModSequence += 1
    copy.uid = boxes[box].uidNext
    copy.modSequence = boxes[box].highestModSequence
    copy.flags.remove("\\Deleted")
    boxes[box].uidNext += 1
    boxes[box].messages.append(copy)
    return copy.uid
  }

  /// - Returns: its UID there, and whether it was there before.
  mutating func move(_ uid: UInt32, from box: Int, to target: Int) -> (
    uid: UInt32, isKnown: Bool
  )? {
    guard let message = message(uid, in: box) else { return nil }
    if has(target, "\\All"), !isExclusive(box) {
      let there = copy(of: message.identity, in: target).map { ($0.uid, true) } ?? nil
      if box != target { boxes[box].expunge(uid) }
      changeAll(message.identity) { _ in }
      return there ?? (add(message, to: target), false)
    }
    let place = put(message, into: target)
    if box != target, !has(box, "\\All") { boxes[box].expunge(uid) }
    changeAll(message.identity) { _ in }
    return place
  }

  // MARK: Flags

  mutating func store(_ uid: UInt32, in box: Int, _ change: (Set<String>) -> Set<String>) {
    guard let message = message(uid, in: box) else { return }
    let wanted = change(message.flags)
    changeAll(message.identity) { copy in
      let isDeleted = copy.flags.contains("\\Deleted")
      copy.flags = wanted.subtracting(["\\Deleted"])
      if isDeleted { copy.flags.insert("\\Deleted") }
    }
    if let index = boxes[box].messages.firstIndex(where: { $0.uid == uid }) {
      if wanted.contains("\\Deleted") {
        boxes[box].messages[index].flags.insert("\\Deleted")
      } else {
        boxes[box].messages[index].flags.remove("\\Deleted")
      }
    }
    if let starred = special("\\Flagged"), !isExclusive(box) {
      let there = copy(of: message.identity, in: starred)
      if wanted.contains("\\Flagged"), there == nil {
        var copy = message
        copy.flags = wanted
        add(copy, to: starred)
      }
      if wanted.contains("\\Flagged") {
        changeAll(message.identity) { $0.flags.insert("\\Flagged") }
      }
      if !wanted.contains("\\Flagged"), let there { boxes[starred].expunge(there.uid) }
    }
    if settings.expungesAtOnce, wanted.contains("\\Deleted") { expunge(uid, in: box) }
  }

  /// Of one marked `\Deleted`: a label less, or what the person set for the last.
  mutating func expunge(_ uid: UInt32, in box: Int) {
    guard let message = message(uid, in: box), message.flags.contains("\\Deleted") else { return }
    boxes[box].expunge(uid)
    if isExclusive(box) { return }
    let views = ["\\All", "\\Important", "\\Flagged"]
    let hasOther = boxes.indices.contains { other in
      copy(of: message.identity, in: other) != nil && !views.contains { has(other, $0) }
    }
    if has(box, "\\All") || !hasOther {
      switch settings.lastLabel {
      case .archive: if has(box, "\\All") { add(message, to: box) }
      case .trash: if let trash = special("\\Trash") { put(message, into: trash) }
      case .deleteForever:
        for other in boxes.indices {
          if let there = copy(of: message.identity, in: other) { boxes[other].expunge(there.uid) }
        }
      }
    }
  }

  // MARK: New messages

  /// A message that the account has already only gets a label.
  mutating func append(_ new: SampleMessage, to box: Int) -> (uid: UInt32, isKnown: Bool) {
    let known = boxes.lazy.flatMap(\.messages).first { $0.bytes == new.bytes }
    if let known { return put(known, into: box) }
    var flags = Set(new.flags)
    if has(box, "\\Drafts") { flags.insert("\\Draft") }
    let highest = boxes.flatMap(\.messages).map(\.identity).max() ?? 0
    let message = ModelMessage(
      uid: 0, flags: flags, date: new.date, bytes: new.bytes,
      identity: max(highest, 1_800_000_000_000) + 1)
    let place = put(message, into: box)
    if flags.contains("\\Flagged"), let starred = special("\\Flagged"), !isExclusive(box) {
      put(boxes[box].messages.first { $0.uid == place.uid } ?? message, into: starred)
    }
    return place
  }
}

extension MailAccount {
  /// One message with these labels; All Mail, where there is one, has it too.
  package func deliver(_ message: SampleMessage, labelled names: [String]) {
    change { boxes in
      var mail = LabelledMail(boxes, LabelSettings())
      for name in names {
        if let box = mail.index(name) { _ = mail.append(message, to: box) }
      }
      boxes = mail.boxes
    }
  }
}
