import SASL
import SMTPWire
import Transport

package struct SMTPSessionOptions: Sendable {
  package var host: String
  package var port: UInt16
  package var user: String
  package var opening = OpeningMachine.Options()
  /// What the credential function brings.
  package var credentialKind: SASLCredential.Kind = .password
  /// BDAT for large messages, where the server has it.
  package var allowsChunks = true
  package var digests: SASLDigests = .openSSL

  // Seconds, each for a whole reply, so that a server which drips bytes gains nothing. To give up before a message's
  // end costs nothing but another attempt, so there is no reason for the five minutes of RFC 5321 §4.5.3.2, which thinks
  // of servers that are strangers to each other.
  package var greetingSeconds = 60.0
  package var commandSeconds = 60.0
  /// For each block of the message on its way out: a slow line takes its time, and one on which nobody acknowledges
  /// anything ends by itself after a minute.
  package var blockSeconds = 180.0
  /// For the answer to the end of the message: to give up early is to not know.
  package var endSeconds = 600.0

  package init(host: String, port: UInt16, user: String) {
    self.host = host
    self.port = port
    self.user = user
  }
}
