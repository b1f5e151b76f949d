import MailCore
import Queue
import Settings
import Sorting
import Sync

/// What a person would lose with an account: in its folders, and in its queue. Two looks can be compared.
struct Losses: Sendable, Equatable {
  private(set) var tree: AtStake
  /// Texts that were taken out of the folders, and are in none.
  private(set) var setAside: FilesAside
  /// Messages of the queue that were not sent to all.
  private(set) var unsent: Set<String> = []
  /// Messages that were sent, and whose copy is in no Sent mailbox yet.
  private(set) var uncopied: Set<String> = []

  /// Reads all that is there, and changes nothing. **Blocks**.
  ///
  /// - Parameters:
  ///   - path: the account's directory, also where it was put out of its place.
  ///   - root: where it belongs.
  static func look(
    at path: String, root: String, account: AccountSettings, environment: [String: String]
  ) throws -> Losses {
    let name = account.name
    var found = Losses(
      tree: try AtStake.look(
        at: path, home: root + "/" + name, account: account, environment: environment),
      setAside: FilesAside.look(account: name, root: root, at: path))
    for entry in try OutboxReader.entries(account: path) {
      if entry.isOnlyCopy {
        found.uncopied.insert(entry.id.text)
      } else if !entry.isDone {
        found.unsent.insert(entry.id.text)
      }
    }
    return found
  }

  /// Where mail lies that is the account's by a link only, and stays.
  var stays: [String] { tree.linked.map(\.target).sorted() }
  var isNothing: Bool { reasons.isEmpty }
  /// Files of messages, lost or not.
  var messages: Int { tree.messages }

  /// Whether all of it was there at an earlier look, too.
  func isKnown(from earlier: Losses) -> Bool {
    tree.isKnown(from: earlier.tree) && setAside.isKnown(from: earlier.setAside)
      && unsent.isSubset(of: earlier.unsent)
      && uncopied.isSubset(of: earlier.uncopied)
  }

  /// What a person can do about each kind.
  var remedy: String {
    var words: [String] = []
    if tree.waits || !unsent.isEmpty || !uncopied.isEmpty {
      words.append("Run `mirror push`; `mirror status` and `mirror outbox` show what waits.")
    }
    words += tree.remedies + setAside.remedies
    return (words + ["With --force it is lost."]).joined(separator: " ")
  }

  /// For people.
  var reasons: [String] {
    var reasons = tree.reasons + setAside.reasons
    if !unsent.isEmpty { reasons.append(Quantities.count(unsent.count, "message") + " not sent") }
    if !uncopied.isEmpty {
      reasons.append(Quantities.count(uncopied.count, "copy", "copies") + " for Sent not filed yet")
    }
    return reasons
  }
}
