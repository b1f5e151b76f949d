import MailCore

/// Why sending did not go on, where no other error has words for it.
enum SendingProblem: Error {
  case ended(any Error)
  case noServer(any Error)
  /// One message could not be read or converted; ours are the words.
  case setAside(String)
}

extension SendingProblem: Explained {
  var explanation: Explanation {
    switch self {
    case .ended(let error):
      Explanation(problem: "Sending ended: \(error).", exitStatus: .inPart)
    case .noServer(let error):
      Explanation(
        problem: "The mail server cannot be reached: \(error).", exitStatus: .unreachable)
    case .setAside(let words):
      Explanation(
        problem: "It could not be sent: \(words).", remedy: "The next push tries it again.",
        exitStatus: .inPart)
    }
  }
}
