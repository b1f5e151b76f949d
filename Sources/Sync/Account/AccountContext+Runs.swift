import Foundation
import Ledger
import LocalChanges
import Maildir
import State
import SyncPlan

extension AccountContext {
  /// The end of a run that changed the state: its record, the backup, and what this machine remembers of the tree.
  ///
  /// - Parameters:
  ///   - summary: as JSON.
  ///   - root: the tree's root; `path`: the account's directory.
  func recordRun(
    kind: String, exitStatus: Int32, summary: String, durable: Bool, witness: TreeWitness,
    root: String, path: String
  ) throws {
    let runs = (try state.fact(Fact.runs).flatMap { Int64($0) } ?? 0) + 1
    try state.setFact(Fact.runs, String(runs))
    // What was kept first counts; where none were kept, nothing is there that a change could spoil.
    let before = try state.fact(Fact.keywords)
    if before == nil || before == "none" && policy.keywords.keeps {
      try state.setFact(Fact.keywords, policy.keywords.text)
    }
    if let server, try state.fact(Fact.server) != server.text {
      try state.setFact(Fact.server, server.text)
    }
    try state.append(
      RunRecord(
        kind: kind, started: started, ended: Int64(Date().timeIntervalSince1970),
        exitStatus: exitStatus, summary: summary))
    try state.backUp(to: tree.control.path + "/state.backup.db", durable: durable)
    guard let device = TreeWitness.device(of: root) else { return }
    witness.write(
      TreeWitness.Record(runs: runs, device: device, accountDevice: TreeWitness.device(of: path)))
  }
}

extension KeywordsStore {
  /// - Throws: ``PushError/keywordsKeptOtherwise(_:)`` where the files carry their keywords in another way: every keyword
  ///   would seem to be taken away.
  func checkKept(in state: StateStore) throws {
    if let before = try state.fact(Fact.keywords), before != "none", keeps, before != text {
      throw PushError.keywordsKeptOtherwise(before)
    }
  }

  /// For comparing one run's with another's.
  var text: String {
    switch self {
    case .header: "header"
    case .dovecot: "dovecot"
    case .none: "none"
    }
  }
}
