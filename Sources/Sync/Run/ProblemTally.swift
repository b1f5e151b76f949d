import MailCore
import SyncPlan

/// Problems of one run, as a person is told of them: of one kind in one mailbox the first few by themselves, all others
/// in one line at the end. A server can make as many as it has messages.
struct ProblemTally {
  /// So many of a kind are told one by one.
  static let most = 10
  /// Beyond so many kinds, what is new in a mailbox counts as one kind.
  private static let mostKinds = 500

  private struct Kind: Hashable {
    let mailbox: String
    /// The words without numbers.
    let words: String
  }

  private struct Tally {
    var count: Int
    var last: RunProblem
  }

  private var tallies: [Kind: Tally] = [:]

  /// Whether it is to be told now.
  mutating func admits(_ problem: RunProblem) -> Bool {
    guard let mailbox = problem.mailbox else { return true }
    var kind = Kind(mailbox: mailbox, words: problem.problem.filter { !$0.isNumber })
    if tallies.count >= Self.mostKinds, tallies[kind] == nil {
      kind = Kind(mailbox: mailbox, words: "")
    }
    let count = (tallies[kind]?.count ?? 0) + 1
    tallies[kind] = Tally(count: count, last: problem)
    return count <= Self.most
  }

  /// A line for each kind that had more; from here on all are told anew.
  mutating func takeRest() -> [RunProblem] {
    defer { tallies = [:] }
    return tallies.filter { $0.value.count > Self.most }
      .sorted { ($0.key.mailbox, $0.key.words) < ($1.key.mailbox, $1.key.words) }
      .map { kind, tally in
        let more = tally.count - Self.most
        var rest = tally.last
        (rest.mailbox, rest.uid) = (kind.mailbox, nil)
        if more > 1 {
          rest.problem =
            "\(more) more problems of this kind in “\(kind.mailbox)”; the last: \(rest.problem)"
        }
        return rest
      }
  }
}
