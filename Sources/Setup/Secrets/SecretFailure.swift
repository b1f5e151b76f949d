import Foundation
import MailCore
import Settings

/// Why a password is not kept, or cannot be read.
package struct SecretFailure: Error, Equatable, Sendable {
  /// For the person who set it up, with what they can do.
  package let words: String
}

extension SecretFailure {
  static func alreadyThere(_ file: String) -> Self { Self(words: "\(file) is there already.") }

  static func noDirectory(_ path: String, _ error: any Error) -> Self {
    Self(words: "\(path) cannot be made: \(error.localizedDescription)")
  }

  static func cannotWrite(_ error: WritingError) -> Self { Self(words: error.explanation.problem) }

  static func cannotRead(_ error: SettingsError) -> Self {
    Self(words: error.explanation.sentences)
  }

  static let comesBackChanged = Self(
    words: "What comes back is not the password that was just tried.")

  static func notGiven(to program: String) -> Self {
    Self(words: "\(program) could not be given the password.")
  }

  static func notRun(_ program: String) -> Self { Self(words: "\(program) could not be run.") }

  static func notEnded(_ program: String, seconds: Int64) -> Self {
    Self(
      words: "\(program) did not end within \(seconds) seconds. Where it waits "
        + "for a passphrase or a keyring, unlock that first, and run mirror init again.")
  }

  static func failed(_ program: String, said: String) -> Self {
    Self(words: "\(program) failed: \(said)")
  }
}

extension Explanation {
  /// Problem and remedy as one paragraph.
  var sentences: String { problem + (remedy.map { " " + $0 } ?? "") }
}
