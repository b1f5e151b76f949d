import CLISupport
import MailCore

/// One line of `mirror doctor`: what was looked at, how it is, what to do.
struct Finding: Sendable, Codable, Equatable {
  enum State: String, Sendable, Codable {
    case fine
    /// Works, but could be better.
    case notice
    case wrong
  }

  /// Nil where the machine or the configuration as a whole is meant.
  var account: String?
  /// `tls`, `disk-space`, …: stable, for scripts.
  var check: String
  var state: State
  var words: String
  var remedy: String?
  var exitStatus: Int32

  private enum CodingKeys: String, CodingKey {
    case account, check, state, words, remedy, exitStatus
  }

  /// Every key stands in every object.
  func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(account, forKey: .account)
    try keys.encode(check, forKey: .check)
    try keys.encode(state, forKey: .state)
    try keys.encode(words, forKey: .words)
    try keys.encode(remedy, forKey: .remedy)
    try keys.encode(exitStatus, forKey: .exitStatus)
  }

  static func fine(_ check: String, _ words: String) -> Finding {
    Finding(check: check, state: .fine, words: words, exitStatus: 0)
  }

  static func notice(_ check: String, _ words: String, _ remedy: String? = nil) -> Finding {
    Finding(check: check, state: .notice, words: words, remedy: remedy, exitStatus: 0)
  }

  static func wrong(
    _ check: String, _ words: String, _ remedy: String?, _ status: ExitStatus = .inPart
  ) -> Finding {
    Finding(
      check: check, state: .wrong, words: words, remedy: remedy, exitStatus: status.rawValue)
  }

  static func wrong(_ check: String, _ error: any Explained) -> Finding {
    let words = error.explanation
    return .wrong(check, words.problem, words.remedy, words.exitStatus)
  }
}

extension Report {
  /// `fine   personal tls: TLSv1.3, …`
  func show(_ finding: Finding) {
    let (word, colour): (String, Colour) =
      switch finding.state {
      case .fine: ("fine  ", .green)
      case .notice: ("notice", .yellow)
      case .wrong: ("wrong ", .red)
      }
    let place = finding.account.map { "\($0) " } ?? ""
    let remedy = finding.remedy.map { " " + $0 } ?? ""
    line(colour, word, "  \(place)\(finding.check): \(finding.words)\(remedy)")
  }
}
