/// How a program ends. The numbers are sysexits.h's where it has them.
package enum ExitStatus: Int32, Sendable {
  case done = 0
  /// Done in part: named on standard error, retried next time.
  case inPart = 1
  case usage = 64
  case badData = 65
  /// The server is unreachable, or was lost on the way.
  case unreachable = 69
  /// Another run holds the account: try again.
  case busy = 75
  /// Log-in or permission refused.
  case refused = 77
  case configuration = 78
  /// Stopped by SIGINT, as shells report it.
  case interrupted = 130

  /// Where several hold: 130 before 78, 77, 69, 75, 65, 64, then 1.
  package func combined(with other: ExitStatus) -> ExitStatus {
    rank >= other.rank ? self : other
  }

  private var rank: Int {
    switch self {
    case .done: 0
    case .inPart: 1
    case .usage: 2
    case .badData: 3
    case .busy: 4
    case .unreachable: 5
    case .refused: 6
    case .configuration: 7
    case .interrupted: 8
    }
  }
}

/// What happened, in words for the person at the terminal, and what they can do.
package struct Explanation: Sendable, Equatable {
  package var problem: String
  package var remedy: String?
  /// The remedy without the advice to run something again, for a watch, which does that by itself.
  package private(set) var lastingRemedy: String?
  package var exitStatus: ExitStatus

  /// - Parameters:
  ///   - again: the advice to run something again. A person at a terminal reads it ahead of the rest.
  ///   - remedy: what else can be done.
  package init(
    problem: String, again: String? = nil, remedy: String? = nil, exitStatus: ExitStatus
  ) {
    self.problem = problem
    self.remedy = Self.remedy(again: again, remedy)
    self.exitStatus = exitStatus
    lastingRemedy = remedy
  }

  package static func remedy(again: String?, _ remedy: String?) -> String? {
    guard let again, let remedy else { return again ?? remedy }
    return "\(again) \(remedy)"
  }
}

/// An error that a person can act on.
package protocol Explained: Error {
  var explanation: Explanation { get }
}

extension String {
  /// A sentence as a part of another.
  package var withoutPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
