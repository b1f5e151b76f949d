import IMAPWire
import SASL
import Transport

/// How to reach an account and log in.
package struct IMAPSessionOptions: Sendable {
  package var host: String
  package var port: UInt16
  package var user: String
  package var choice: SASLChoice = .automatic
  /// What ``IMAPSession``'s credential function brings.
  package var credentialKind: SASLCredential.Kind = .password
  package var wantsStartTLS = false
  package var quirks = QuirkSettings()
  /// Told to servers that have ID (RFC 2971).
  package var clientID: [(key: String, value: String)] = [("name", "mirror")]
  /// How long the greeting may take, in seconds.
  package var greetingSeconds = 30.0
  /// How long the server may send nothing while an answer is due; then the line is dead.
  package var silenceSeconds = 60.0
  /// The same while it may have to look into messages or to write some: servers say nothing meanwhile that work well.
  package var workSeconds = 120.0
  /// What a slow line carries in a second. Where something on the way takes all bytes at once and passes them on slowly, the
  /// server has nothing to say until the last has come.
  package var bytesASecond = 8000.0
  /// For one piece of a message that is being sent: a line may be slow, and TCP ends one on which the server acknowledges
  /// nothing.
  package var pieceSeconds = 120.0
  /// The server as it was met before.
  package var known: KnownServer?
  /// The mechanism by which the last log-in came about, where the server had refused a better one that it announces.
  package var proven: SASLMechanism?
  package var digests: SASLDigests = .openSSL

  package init(host: String, port: UInt16, user: String) {
    self.host = host
    self.port = port
    self.user = user
  }
}
