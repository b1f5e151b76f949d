import IMAPClient
import IMAPWire
import MailCore

/// What came of a flight of commands that change things.
package struct ChangeAnswers: ResponseHandler {
  /// By command, as all that follow.
  package private(set) var results: [Int: TaggedResult] = [:]
  /// Where copied and moved messages went, by command.
  package private(set) var copied: [Int: [CopyUID]] = [:]
  package private(set) var found: [Int: UIDSet] = [:]
  package private(set) var selected = SelectedMailbox()
  package private(set) var rights: [Int: MailboxRights] = [:]
  /// Flags and keywords that the server told of, by command.
  package private(set) var marks: [Int: [UID: MessageMarks]] = [:]
  /// RFC822.SIZE, where it was asked for.
  package private(set) var sizes: [UID: Int64] = [:]

  package mutating func fetched(_ data: FetchData, during command: Int) {
    noteSize(data)
    if let uid = data.uid, let told = data.marks { marks[command, default: [:]][uid] = told }
  }

  fileprivate mutating func noteSize(_ data: FetchData) {
    if let uid = data.uid, let size = data.size { sizes[uid] = size }
  }

  package mutating func received(_ response: UntaggedResponse, during command: Int) {
    selected.absorb(response)
    switch response {
    case .status(.ok, let text):
      // MOVE reports COPYUID before its own completion (RFC 6851 §4.3).
      if case .copyUID(let copy) = text.code { copied[command, default: []].append(copy) }
    case .search(let result): found[command] = (found[command] ?? UIDSet()).union(result.uids)
    case .myRights(_, let told): rights[command] = told
    default: break
    }
  }

  package mutating func completed(_ command: Int, _ result: TaggedResult) {
    results[command] = result
    selected.absorb(result)
    if case .copyUID(let copy) = result.code { copied[command, default: []].append(copy) }
  }

  package func isOK(_ command: Int) -> Bool { results[command]?.isOK == true }

  package func result(_ command: Int) throws -> TaggedResult {
    guard let result = results[command] else { throw IMAPError.sessionOver }
    return result
  }

  /// Where messages went that the command named, as far as what the server told of it is accepted.
  package func places(_ command: Int, if accepts: (UIDValidity) -> Bool) -> [(
    source: UID, destination: UID
  )] { (copied[command] ?? []).filter { accepts($0.validity) }.flatMap { $0.pairs() ?? [] } }

  /// What all searches found.
  package var allFound: UIDSet { UIDSet(ranges: found.values.flatMap(\.ranges)) }
}

/// The answers to a flight over several mailboxes, apart for each.
struct FlightAnswers: ResponseHandler {
  private(set) var legs: [ChangeAnswers]
  /// Of each command: its leg, and its number there.
  private var places: [(leg: Int, command: Int)] = []

  init(count: Int) { legs = Array(repeating: ChangeAnswers(), count: count) }

  mutating func expect(_ commands: Int, of leg: Int) { places += (0..<commands).map { (leg, $0) } }

  mutating func received(_ response: UntaggedResponse, during command: Int) {
    let place = places[command]
    legs[place.leg].received(response, during: place.command)
  }

  mutating func fetched(_ data: FetchData, during command: Int) {
    legs[places[command].leg].noteSize(data)
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) {
    let place = places[command]
    legs[place.leg].completed(place.command, result)
  }
}

extension IMAPSession {
  /// Sends all of them without waiting in between.
  func answers(to commands: [IMAPCommand]) throws -> ChangeAnswers {
    var answers = ChangeAnswers()
    try run(commands, handler: &answers)
    return answers
  }
}
