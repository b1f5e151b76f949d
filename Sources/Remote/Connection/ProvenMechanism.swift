import SASL
import Synchronization

/// By which mechanism a server took the log-in after it had refused a better one. All connections of an account share it:
/// each refused attempt may count as a wrong password.
final class ProvenMechanism: Sendable {
  private let mechanism = Mutex<SASLMechanism?>(nil)

  var value: SASLMechanism? {
    get { mechanism.withLock { $0 } }
    set { mechanism.withLock { $0 = newValue } }
  }
}
