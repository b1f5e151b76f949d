/// One message as a page shows it; all words as the message has them, to be escaped here.
package struct PageMessage: Sendable {
  package enum Block: Sendable {
    case page(SafePage)
    case text(String)
    /// Lines with their `>`.
    case quoted(String)
    case signature(String)
    /// The header of a message inside, whose blocks follow.
    case message([(name: String, value: String)])
  }

  package struct Attachment: Sendable {
    package var name: String
    package var type: String
    /// `12 kB`.
    package var size: String
    package var warning: String?

    package init(name: String, type: String, size: String, warning: String?) {
      self.name = name
      self.type = type
      self.size = size
      self.warning = warning
    }
  }

  package var from = ""
  package var date = ""
  /// `To: …`, `Cc: …`.
  package var head: [(name: String, value: String)] = []
  package var warnings: [Sentence] = []
  package var blocks: [Block] = []
  package var attachments: [Attachment] = []
  /// What a reader should know and need not act on: images that were not loaded, what was left out.
  package var notes: [Sentence] = []
  /// Of a folded message.
  package var snippet = ""
  /// Where the list or newsletter that it came through is left.
  package var unsubscribe: String?
  package var isOpen = true

  package init() {}
}

extension SafePage {
  /// What a reader should know of a page: what is not shown, and why.
  package var notes: [Sentence] {
    var notes: [Sentence] = []
    if let refusal { notes.append("Only the words of this page are shown: \(own: refusal).") }
    let shown = remoteImages.filter(\.isShown)
    if !shown.isEmpty {
      let hosts = Set(shown.map(\.host)).sorted()
      notes.append("\(own: Self.images(shown.count)) fetched from \(Self.few(hosts)).")
    }
    let pictures = remoteImages.count { $0.tracking == nil && !$0.isShown }
    if pictures > 0 {
      let hosts = imageHosts.map { $0.count > 1 ? "\($0.host) (\($0.count))" : $0.host }
      notes.append("\(own: Self.images(pictures)) not loaded: \(Self.few(hosts)).")
    }
    if trackers > 0 {
      let hosts = Set(remoteImages.filter { $0.tracking != nil }.map(\.host)).sorted()
      let images = trackers == 1 ? "1 image that tells" : "\(trackers) images that tell"
      notes.append("\(own: images) the sender who reads this: \(Sentence.list(hosts.prefix(4))).")
    }
    let gone = DroppedKind.allCases.filter { $0 != .styleSheet }
      .compactMap { kind in dropped[kind].map { kind.words($0) } }
    if !gone.isEmpty { notes.append("Left out: \(own: gone.joined(separator: ", ")).") }
    return notes
  }

  private static func images(_ count: Int) -> String {
    count == 1 ? "1 remote image was" : "\(count) remote images were"
  }

  /// The first of them by name, the rest by number.
  private static func few(_ hosts: [String]) -> Sentence {
    let few = Sentence.list(hosts.prefix(4))
    return hosts.count > 4 ? few + " and \(own: hosts.count - 4) more" : few
  }
}
