import MailCore

/// A place in the configuration file, for error texts: `config.toml:12`.
package struct ConfigurationPlace: Sendable, Equatable, CustomStringConvertible {
  package var file: String
  /// From 1; nil where the whole file is meant.
  package var line: Int?

  package init(file: String, line: Int? = nil) {
    self.file = file
    self.line = line
  }

  package var description: String { line.map { "\(file):\($0)" } ?? file }
}

/// What is wrong with the configuration, or with getting a password. No case carries a secret.
package enum SettingsError: Error, Equatable {
  case missingFile(String)
  case unreadableFile(String, reason: String)
  case tooLarge(String, limit: Int)
  /// Others than its owner may read the file, and it holds a password.
  case exposed(ConfigurationPlace, mode: UInt32)
  case syntax(ConfigurationPlace, words: String)
  case unknownKey(ConfigurationPlace, key: String, nearest: String?, known: [String])
  case missingKey(ConfigurationPlace, key: String, remedy: String)
  case wrongType(ConfigurationPlace, key: String, expected: String, found: String)
  case badValue(ConfigurationPlace, key: String, problem: String, remedy: String)
  case commandFailed(program: String, reason: String, words: String)
  case noPassword(user: String, remedy: String)
  case badPasswordFile(String, problem: String, remedy: String)
  /// `oauth.store-command` did not take the token.
  case storeFailed(program: String, reason: String, words: String)
  /// No access token can be had: what its source says of it.
  case noToken(Explanation)
  /// The server refused this very log-in before, and nobody is there who could want it tried again.
  case refusedBefore(Explanation)
}

extension SettingsError: Explained {
  package var explanation: Explanation {
    switch self {
    case .noToken(let explanation), .refusedBefore(let explanation): return explanation
    default: break
    }
    let (problem, remedy) = words
    return Explanation(problem: problem.visible, remedy: remedy.visible, exitStatus: exitStatus)
  }

  private var exitStatus: ExitStatus {
    switch self {
    case .commandFailed, .storeFailed, .noPassword: .refused
    case .noToken(let explanation), .refusedBefore(let explanation): explanation.exitStatus
    default: .configuration
    }
  }

  private var words: (String, String) {
    switch self {
    case .missingFile(let path):
      return ("\(path): there is no configuration.", Self.sampleRemedy(path))
    case .unreadableFile(let path, let reason):
      return ("\(path): cannot be read: \(reason).", "Check its owner and mode: ls -l '\(path)'.")
    case .tooLarge(let path, let limit):
      return (
        "\(path): larger than \(limit) bytes, so it is no configuration.",
        "Name the right file with --config."
      )
    case .exposed(let place, let mode):
      return (
        "\(place): holds a secret, and others can read the file (mode \(String(mode, radix: 8))).",
        "chmod 600 '\(place.file)', and change the secret if others use this machine."
      )
    case .syntax(let place, let words):
      return (
        "\(place): not valid TOML: \(words).",
        "Text values stand in quotes, lists in [brackets]; see mirror-config(5)."
      )
    case .unknownKey, .missingKey, .wrongType, .badValue: return keyWords
    case .noToken(let explanation), .refusedBefore(let explanation):
      return (explanation.problem, explanation.remedy ?? "")
    case .storeFailed(let program, let reason, let words):
      let said = words.isEmpty ? "" : " It said: \(words)"
      return (
        "The command “\(program)”, which should keep a token, \(reason).\(said)",
        "It gets the token on its standard input; check oauth.store-command."
      )
    case .commandFailed(let program, let reason, let words):
      let said = words.isEmpty ? "" : " It said: \(words)"
      return (
        "The password command “\(program)” \(reason).\(said)",
        "Run it by hand: its first line of output must be the password."
      )
    case .noPassword(let user, let remedy): return ("There is no password for \(user).", remedy)
    case .badPasswordFile(let path, let problem, let remedy):
      return ("\(path): \(problem).", remedy)
    }
  }

  private var keyWords: (String, String) {
    switch self {
    case .unknownKey(let place, let key, let nearest, let known):
      let hint = nearest.map { "Did you mean “\($0)”? " } ?? ""
      return (
        "\(place): unknown key “\(key)”.",
        hint + "Known here: \(known.joined(separator: ", "))."
      )
    case .missingKey(let place, let key, let remedy):
      return ("\(place): the key “\(key)” is missing.", remedy)
    case .wrongType(let place, let key, let expected, let found):
      return (
        "\(place): “\(key)” must be \(expected), but it is \(found).",
        Self.typeRemedy(key, expected)
      )
    case .badValue(let place, let key, let problem, let remedy):
      return ("\(place): “\(key)” \(problem).", remedy)
    default: return ("", "")
    }
  }

  private static func typeRemedy(_ key: String, _ expected: String) -> String {
    switch expected {
    case "a whole number": "Write \(key) = a number, without quotes."
    case "true or false": "Write \(key) = true, or false, without quotes."
    case "a list of texts": "Write \(key) = [\"…\", \"…\"]."
    case "a table": "Write [\(key)] on a line of its own."
    default: "Write \(key) = \"…\"."
    }
  }

  private static func sampleRemedy(_ path: String) -> String {
    """
    Write it, for example: root = "~/Mail"; [accounts.personal.imap]; host = "imap.example.org"; \
    user = "alice@example.org"; password-command = ["pass", "show", "mail/alice"] \
    (each on a line of its own; every key: mirror-config(5)).
    """
  }
}
