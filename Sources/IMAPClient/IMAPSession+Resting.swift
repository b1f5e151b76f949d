import IMAPWire

/// A session that waits for its next use.
extension IMAPSession {
  /// Leaves the mailbox that is open, and does not wait for the answer: whoever uses the session next finds it as it was
  /// after the log-in.
  ///
  /// - Returns: false where that is not possible: the session is over, or the server has no UNSELECT (RFC 3691).
  package func rest() -> Bool {
    guard isUsable, inFlight.isEmpty else { return isUsable && isResting }
    guard hasSelected else { return true }
    guard capabilities.contains(.unselect) else { return false }
    do {
      var nobody = Unheard()
      try submit(.unselect, index: nil, &nobody)
      try flush(seconds: 1)
      return true
    } catch {
      close()
      return false
    }
  }

  /// Nothing is under way but the UNSELECT by which the mailbox was left.
  var isResting: Bool { inFlight.count == 1 && awaitsUnselect }

  /// What comes now is still of the mailbox that was left.
  var awaitsUnselect: Bool {
    inFlight.first.map { $0.index == nil && $0.name == IMAPCommand.unselect.name } ?? false
  }

  /// The same where SELECT of the next mailbox left it.
  var awaitsNextMailbox: Bool { tellsOfMailbox && inFlight.first?.isSelect == true }

  /// Looks for the end of what comes of the mailbox that was left: `[CLOSED]`, as RFC 7162 (§3.2.11) has it after QRESYNC was
  /// enabled. Elsewhere, what the next one's SELECT brings in any case.
  func noteEndOfMailbox(_ response: UntaggedResponse) {
    guard awaitsNextMailbox else { return }
    switch response {
    case .status(_, let said):
      switch said.code {
      case .closed, .uidValidity: tellsOfMailbox = false
      default: break
      }
    case .flags, .exists: if !enabled.contains(.qresync) { tellsOfMailbox = false }
    default: break
    }
  }

  /// Nobody knows whether the line still lives: until the next command is answered, the server may keep silent for only so
  /// many seconds.
  package func doubtLine(for seconds: Double) { doubtSeconds = seconds }
}

extension UntaggedResponse {
  /// It names messages of the mailbox that is open.
  var isOfMessages: Bool {
    switch self {
    case .expunge, .vanished: true
    default: false
    }
  }
}
