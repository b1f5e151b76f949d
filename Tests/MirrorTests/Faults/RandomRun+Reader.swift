import MailTestKit

/// What a mail reader does in the tree.
extension RandomRun {
  func changeTree() throws {
    let tree = try scenario.mirror.tree()
    for index in messages.indices {
      let message = messages[index]
      guard message.local != nil, !message.wasContested,
        let file = tree.message(with: "<\(message.token)@")
      else { continue }
      if message.side == .both, message.isLeaving, random.chance(0.6) {
        try place(index, file, tree.folders)
      } else if random.chance(0.35) {
        try change(index, file, tree.folders)
      }
    }
    if random.chance(0.4) { try write(to: random.pick(tree.folders)) }
  }

  /// A message of the reader's own.
  private func write(to folder: String) throws {
    let token = "l\(counter)"
    counter += 1
    let flags = String("DFPRST".filter { _ in random.chance(0.3) })
    var bytes = Array(
      "From: me@example.org\nSubject: \(token)\nMessage-ID: <\(token)@example.org>\n".utf8)
    if random.chance(0.3) { bytes = Array("X-Keywords: red, own\n".utf8) + bytes }
    bytes += Array("\nwritten here\(random.chance(0.5) ? "\n" : "")".utf8)
    try reader.deliver(bytes, name: token, to: folder, flags: flags)
    drafts.append(RandomDraft(token: token, folder: folder, flags: flags, bytes: bytes))
    story.append("reader writes \(token) to \(folder)")
  }

  private func change(_ index: Int, _ file: LocalMessage, _ folders: [String]) throws {
    switch random.below(messages[index].side == .server ? 6 : 9) {
    case 0, 1, 2: try changeFlag(index, file)
    case 3, 4, 5: try changeKeyword(index, file)
    default: try place(index, file, folders)
    }
  }

  private func changeFlag(_ index: Int, _ file: LocalMessage) throws {
    let (flag, letter) = random.pick(RandomMessage.letters)
    let has = file.flags.contains(letter)
    try reader.setFlags(file, has ? file.flags.filter { $0 != letter } : file.flags + [letter])
    toggle(index, flag, has)
  }

  private func changeKeyword(_ index: Int, _ file: LocalMessage) throws {
    let keyword = random.pick(Self.keywords)
    let now = file.keywords()
    let has = now.contains { $0.lowercased() == keyword.lowercased() }
    let wanted =
      has ? now.filter { $0.lowercased() != keyword.lowercased() } : now.union([keyword])
    try reader.setKeywords(file, wanted.sorted())
    toggle(index, keyword.lowercased(), has)
  }

  private func toggle(_ index: Int, _ mark: String, _ has: Bool) {
    if has {
      messages[index].local?.remove(mark)
    } else {
      messages[index].local?.insert(mark)
    }
    story.append("reader \(has ? "clears" : "sets") \(mark) of \(messages[index].token)")
  }

  /// Moves it, takes it away, or changes its text.
  private func place(_ index: Int, _ file: LocalMessage, _ folders: [String]) throws {
    let token = messages[index].token
    switch random.below(3) {
    case 0:
      let target = random.pick(folders.filter { $0 != file.folder })
      try reader.move(file, to: target)
      messages[index].folder = target
      story.append("reader moves \(token) to \(target)")
    case 1:
      try reader.remove(file)
      (messages[index].local, messages[index].folder) = (nil, nil)
      messages[index].wasEdited = false
      story.append("reader removes \(token)")
    default:
      try reader.rewrite(file, file.raw + Array("edited here\n".utf8))
      messages[index].wasEdited = true
      story.append("reader edits \(token)")
    }
  }
}
