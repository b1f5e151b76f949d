import MIME

/// Who gets an answer, and who sends it.
struct Answering {
  let message: AnsweredMessage
  /// The user's own addresses, in lower case.
  let own: Set<String>

  /// - Parameter toAll: whether everybody gets it who got the message.
  func recipients(toAll: Bool) -> (to: [MailAddress], cc: [MailAddress]) {
    let senders = message.replyTo.isEmpty ? message.from : message.replyTo
    // An answer to one's own message goes where that went.
    let isOwn = !message.from.isEmpty && message.from.allSatisfy(isOwn)
    guard toAll else {
      let others = unique(isOwn ? message.to : senders)
      return (others.isEmpty ? unique(senders, keepsOwn: true) : others, [])
    }
    if let wanted = message.followUpTo {
      let to = unique(wanted)
      return (to.isEmpty ? unique(wanted, keepsOwn: true) : to, [])
    }
    let to = unique(isOwn ? message.to : senders)
    let cc = unique((isOwn ? [] : message.to) + message.cc, without: to)
    if to.isEmpty, cc.isEmpty { return (unique(senders, keepsOwn: true), []) }
    return to.isEmpty ? (cc, []) : (to, cc)
  }

  /// Who got the message and is left out of an answer to all, because its Mail-Followup-To names others; and who is
  /// named that did not get it.
  var followUpChanges: (leftOut: [MailAddress], added: [MailAddress]) {
    guard message.followUpTo != nil else { return ([], []) }
    var plain = message
    plain.followUpTo = nil
    let usual = Answering(message: plain, own: own).recipients(toAll: true)
    let wanted = recipients(toAll: true).to
    func others(_ people: [MailAddress], than rest: [MailAddress]) -> [MailAddress] {
      let known = Set(rest.map { $0.address.lowercased() })
      return people.filter { !known.contains($0.address.lowercased()) }
    }
    let everybody = usual.to + usual.cc
    return (others(everybody, than: wanted), others(wanted, than: everybody))
  }

  /// Who gets the answer in the sender's place, because of Reply-To; nil where the sender gets it.
  func elsewhere(toAll: Bool) -> (to: [MailAddress], notTo: [MailAddress])? {
    let (to, cc) = recipients(toAll: toAll)
    let reached = Set((to + cc).map { $0.address.lowercased() })
    let named = Set(message.replyTo.map { $0.address.lowercased() })
    let senders = message.from.filter { !reached.contains($0.address.lowercased()) }
    let others = to.filter { named.contains($0.address.lowercased()) }
    return senders.isEmpty || others.isEmpty ? nil : (others, senders)
  }

  /// The address of one's own that the message was sent to; nil where it was sent to none.
  var addressed: String? {
    (message.to + message.cc + message.from).first(where: isOwn)?.address
  }

  private func isOwn(_ person: MailAddress) -> Bool { own.contains(person.address.lowercased()) }

  /// Each address once, without the sender's own.
  private func unique(
    _ people: [MailAddress], without others: [MailAddress] = [], keepsOwn: Bool = false
  ) -> [MailAddress] {
    var seen = Set(others.map { $0.address.lowercased() })
    return people.filter { person in
      (keepsOwn || !isOwn(person)) && seen.insert(person.address.lowercased()).inserted
    }
  }
}

/// Subjects of answers and of what is passed on.
enum AnswerSubject {
  /// `Re: ` once, whatever stood before: AW, Sv, Re[2] and their like count as it.
  static func reply(to subject: String) -> String {
    var rest = subject[...].drop(while: \.isWhitespace)
    while let colon = rest.firstIndex(of: ":") {
      var word = rest[..<colon].lowercased()
      if word.hasSuffix("]"), let bracket = word.firstIndex(of: "["),
        word[bracket...].dropFirst().dropLast().allSatisfy(\.isNumber)
      {
        word = String(word[..<bracket])
      }
      guard replies.contains(word.trimmingBlanks) else { break }
      rest = rest[rest.index(after: colon)...].drop(while: \.isWhitespace)
    }
    return "Re: " + rest
  }

  static func forward(of subject: String) -> String { "Fwd: " + subject }

  private static let replies: Set<String> = [
    "re", "aw", "antw", "sv", "vs", "odp", "ynt", "res", "rif", "r", "回复", "答复", "返信",
  ]
}

extension String {
  fileprivate var trimmingBlanks: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
