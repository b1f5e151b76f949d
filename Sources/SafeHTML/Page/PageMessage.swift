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
  package var warnings: [String] = []
  package var blocks: [Block] = []
  package var attachments: [Attachment] = []
  /// What a reader should know and need not act on: images that were not loaded, what was left out.
  package var notes: [String] = []
  /// Of a folded message.
  package var snippet = ""
  /// Where the list or newsletter that it came through is left.
  package var unsubscribe: String?
  package var isOpen = true

  package init() {}
}

extension SafePage {
  /// What a reader should know of a page: what is not shown, and why.
  package var notes: [String] {
    var notes: [String] = []
    if let refusal { notes.append("Only the words of this page are shown: \(refusal).") }
    let shown = remoteImages.filter(\.isShown)
    if !shown.isEmpty {
      let hosts = Set(shown.map(\.host)).sorted()
      let rest = hosts.count - 4
      notes.append(
        "\(shown.count == 1 ? "1 remote image was" : "\(shown.count) remote images were") fetched from "
          + hosts.prefix(4).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "") + ".")
    }
    let pictures = remoteImages.count { $0.tracking == nil && !$0.isShown }
    if pictures > 0 {
      let hosts = imageHosts.prefix(4).map { $0.count > 1 ? "\($0.host) (\($0.count))" : $0.host }
      let rest = imageHosts.count - hosts.count
      notes.append(
        "\(pictures == 1 ? "1 remote image was" : "\(pictures) remote images were") not loaded: "
          + hosts.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "") + ".")
    }
    if trackers > 0 {
      let hosts = Set(remoteImages.filter { $0.tracking != nil }.map(\.host)).sorted()
      notes.append(
        "\(trackers == 1 ? "1 image that tells" : "\(trackers) images that tell") the sender who reads this: "
          + hosts.prefix(4).joined(separator: ", ") + ".")
    }
    let gone = DroppedKind.allCases.filter { $0 != .styleSheet }
      .compactMap { kind in dropped[kind].map { kind.words($0) } }
    if !gone.isEmpty { notes.append("Left out: " + gone.joined(separator: ", ") + ".") }
    return notes
  }
}
