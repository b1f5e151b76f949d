import Foundation
import Settings

/// By what it is noticed that a secret is another one. Commands are not run for that: they may ask the person something.
struct SecretStamp: Equatable, Sendable {
  private struct File: Equatable {
    var changed: Int64
    var size: Int64
    var number: UInt64
  }

  private var files: [File?] = []
  /// Not when it was: a command at a terminal may have been let in, or refused once more.
  private var areRefused: [Bool] = []
  private var grant: String?

  init(_ account: AccountSettings, _ session: MirrorSession) {
    for server in [account.imap, account.smtp].compactMap({ $0 }) {
      if case .file(let path) = server.secret { files.append(Self.file(path)) }
      areRefused.append(session.refusedLogIn(account, at: server)?.since != nil)
    }
    grant = session.tokens(account).map { "\($0.grant)" }
  }

  private static func file(_ path: String) -> File? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return File(
      changed: Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec),
      size: Int64(facts.st_size), number: UInt64(facts.st_ino))
  }
}
