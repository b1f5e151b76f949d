import MailCore

/// Something to report to the person: it failed, or it was unusual.
package struct RunProblem: Sendable, Codable, Equatable {
  /// Nil where the whole account is meant.
  package var mailbox: String?
  /// Nil where the whole mailbox is meant.
  package var uid: UInt32?
  /// Safe for terminals.
  package var problem: String
  package var remedy: String?
  /// As ``Explanation/lastingRemedy``.
  package private(set) var lastingRemedy: String?
  /// 0 for a mere notice.
  package var exitStatus: Int32

  /// What records of runs and `--format json` have of it.
  private enum CodingKeys: String, CodingKey { case mailbox, uid, problem, remedy, exitStatus }

  package init(
    mailbox: String? = nil, uid: UInt32? = nil, problem: String, again: String? = nil,
    remedy: String? = nil, exitStatus: ExitStatus = .inPart
  ) {
    self.mailbox = mailbox
    self.uid = uid
    self.problem = problem.visible
    self.remedy = Explanation.remedy(again: again, remedy)?.visible
    lastingRemedy = remedy?.visible
    self.exitStatus = exitStatus.rawValue
  }

  package init(_ error: any Explained, mailbox: String? = nil, uid: UInt32? = nil) {
    let explanation = error.explanation
    self.init(
      mailbox: mailbox, uid: uid, problem: explanation.problem, remedy: explanation.remedy,
      exitStatus: explanation.exitStatus)
    lastingRemedy = explanation.lastingRemedy?.visible
  }
}
