import CLISupport
import Foundation
import LocalChanges
import MailCore
import OAuth
import Settings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What this machine keeps of an account beside its tree and its tables: tokens, passwords that the set-up stored, log-ins
/// that were refused, what is remembered of the tree.
struct AccountSecrets {
  let session: MirrorSession
  let environment: [String: String]

  /// While the configuration still says where they are.
  ///
  /// - Returns: what is not ours to remove, in words.
  func remove(_ settings: AccountSettings) -> [String] {
    if let tokens = session.tokens(settings) {
      do {
        _ = try tokens.signOut()
      } catch {
        session.report.notice(
          settings.name,
          error.explanation.problem + (error.explanation.remedy.map { " " + $0 } ?? ""))
      }
    }
    var stays: [String] = []
    for secret in Self.secrets(of: settings) {
      let files = secret.paths.filter(isStored)
      let others = session.configuration.accounts.filter { $0.name != settings.name }
      for file in files {
        if others.flatMap(Self.secrets).contains(where: { $0.paths.contains(file) }) {
          stays.append("\(file), which another account uses")
        } else {
          unlink(file)
        }
      }
      if files.isEmpty { stays.append(secret.words) }
    }
    return stays
  }

  /// By the account's name alone: also where the configuration has forgotten it.
  static func removeFiles(of account: String, home: String, environment: [String: String]) {
    if let state = StateDirectory.path(environment: environment) {
      for name in ["oauth/\(account)", "oauth/.\(account).lock", "oauth/.\(account).new"] {
        unlink(state + "/" + name)
      }
      for service in ["imap", "smtp"] { unlink("\(state)/refused/\(account).\(service)") }
    }
    TreeWitness(accountPath: home, environment: environment).forget()
  }

  private struct KeptSecret: Equatable {
    /// Files that it is read from, as far as they can be told.
    var paths: [String]
    var words: String
  }

  private static func secrets(of settings: AccountSettings) -> [KeptSecret] {
    var found: [KeptSecret] = []
    for server in [settings.imap, settings.smtp].compactMap(\.self) {
      let secret: KeptSecret
      switch server.secret {
      case .password, .none: continue
      case .file(let path):
        secret = KeptSecret(paths: [path], words: "\(path), which is your own password file")
      case .command(let arguments):
        secret = KeptSecret(
          paths: arguments.filter { $0.hasPrefix("/") },
          // Its arguments may hold the secret itself.
          words: "what the password command, \(arguments.first ?? ""), prints")
      }
      if !found.contains(secret) { found.append(secret) }
    }
    return found
  }

  /// Whether `mirror init` keeps passwords there.
  private func isStored(_ path: String) -> Bool {
    let directory = (session.configuration.path as NSString).deletingLastPathComponent
    return (path as NSString).deletingLastPathComponent == directory + "/passwords"
  }
}
