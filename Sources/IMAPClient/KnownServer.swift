import IMAPWire
import SASL

/// What a server told of itself when it was last met. Where it greets in the same words, the list of mailboxes is asked
/// for together with the log-in, which saves a round trip.
package struct KnownServer: Sendable, Equatable {
  package var greeting: String
  /// As announced after the log-in. Nil: it gave no answer to what came with a log-in, and is not asked so again.
  package var capabilities: CapabilitySet?
  /// What the log-in came about by, where the server refuses the best mechanism that it announces: each attempt with that
  /// one counts as a wrong password somewhere.
  package var mechanism: SASLMechanism?

  package init(
    greeting: String, capabilities: CapabilitySet?, mechanism: SASLMechanism? = nil
  ) {
    self.greeting = greeting
    self.capabilities = capabilities
    self.mechanism = mechanism
  }

  /// - Parameter text: as ``text`` gives it.
  package init?(text: String) {
    let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count >= 2 else { return nil }
    greeting = String(lines[0])
    let words = lines[1].split(separator: " ").map(String.init)
    capabilities = words.isEmpty ? nil : CapabilitySet(words)
    mechanism = lines.count > 2 ? SASLMechanism(name: String(lines[2])) : nil
  }

  /// It gave no answer, and this is the same one.
  package func isSilent(as met: KnownServer) -> Bool {
    capabilities == nil && greeting == met.greeting
  }

  /// The greeting on a line of its own, then the capabilities, then the mechanism if there is one.
  package var text: String {
    "\(greeting)\n\(capabilities?.description ?? "")" + (mechanism.map { "\n\($0.rawValue)" } ?? "")
  }
}
