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
  /// 0 for a mere notice.
  package var exitStatus: Int32

  package init(
    mailbox: String? = nil, uid: UInt32? = nil, problem: String, remedy: String? = nil,
    exitStatus: ExitStatus = .inPart
  ) {
    self.mailbox = mailbox
    self.uid = uid
    self.problem = problem.visible
    self.remedy = remedy?.visible
    self.exitStatus = exitStatus.rawValue
  }

  package init(_ error: any Explained, mailbox: String? = nil, uid: UInt32? = nil) {
    let explanation = error.explanation
    self.init(
      mailbox: mailbox, uid: uid, problem: explanation.problem, remedy: explanation.remedy,
      exitStatus: explanation.exitStatus)
  }
}
