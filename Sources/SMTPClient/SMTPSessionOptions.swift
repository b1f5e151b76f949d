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

  // Seconds, each for a whole reply, so that a server which drips bytes gains nothing (RFC 5321
  // §4.5.3.2 asks for at least these).
  package var greetingSeconds = 300.0
  package var commandSeconds = 300.0
  /// For the first answer to an envelope that left behind another message's end, once that is answered: who has lost
  /// it by then never answers, and to ask again elsewhere costs nothing.
  package var announcedSeconds = 60.0
  /// For each block of the message on its way out.
  package var blockSeconds = 180.0
  /// For the answer to the end of the message: to give up early is to not know.
  package var endSeconds = 600.0

  package init(host: String, port: UInt16, user: String) {
    self.host = host
    self.port = port
    self.user = user
  }
}
