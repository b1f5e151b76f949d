import Foundation
import LocalChanges
import MailCore
import Settings
import Synchronization

/// What `mirror status` tells of how an account is watched.
struct WatchWords: Codable, Equatable, Sendable {
  /// Of the watch itself.
  var since: Date
  /// As in `watch --format jsonl`.
  var state: String
  /// How the server's news come.
  var by: ListeningWay?
  /// When it came to this.
  var changed: Date
  var retry: Date?
  /// What was done last: pulled, pushed, sent.
  var lastEvent: String?
  var lastEventAt: Date?

  init(since: Date) {
    self.since = since
    changed = since
    state = "connecting"
  }

  init?(text: String) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    guard let words = try? decoder.decode(Self.self, from: Data(text.utf8)) else { return nil }
    self = words
  }

  var text: String {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

/// The accounts that this process watches: the right to do so, and the words beside it, which are written only where they
/// change.
final class WatchStatusFile: Sendable {
  private struct Entry {
    let lock: WatchLock
    var words: WatchWords
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// - Throws: `MaildirError.locked` where another process watches the account.
  func begin(_ account: String, _ witness: TreeWitness) throws {
    let lock = try witness.watch()
    let words = WatchWords(since: Date())
    lock.write(words.text)
    entries.withLock { $0[account] = Entry(lock: lock, words: words) }
  }

  func end(_ account: String) { entries.withLock { $0[account] = nil } }

  func state(_ state: String, by way: ListeningWay?, retry: Date?, of account: String) {
    change(account) { words in
      guard words.state != state || words.by != way || words.retry != retry else { return }
      (words.state, words.by, words.retry) = (state, way, retry)
      words.changed = Date()
    }
  }

  func event(_ event: String, of account: String) {
    change(account) { ($0.lastEvent, $0.lastEventAt) = (event, Date()) }
  }

  private func change(_ account: String, _ body: (inout WatchWords) -> Void) {
    entries.withLock { entries in
      guard let before = entries[account]?.words else { return }
      var words = before
      body(&words)
      guard words != before else { return }
      entries[account]?.words = words
      entries[account]?.lock.write(words.text)
    }
  }
}

extension MirrorSession {
  /// What the process that watches an account says of it; nil where none does.
  func watchWords(_ account: AccountSettings) -> WatchWords? {
    let witness = TreeWitness(
      accountPath: configuration.root + "/" + account.name,
      environment: ProcessInfo.processInfo.environment)
    return witness.watchWords.flatMap(WatchWords.init(text:))
  }
}
