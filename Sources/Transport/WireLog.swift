import MailCore
import SASL
import Synchronization

/// Where the wire is shown, line by line, with every known secret cut out. Shared by connections.
package final class WireLog: Sendable {
  private let label: String
  private let sink: @Sendable (String) -> Void
  private let mask = Mutex(SecretMask())

  /// - Parameter label: stands before every line: account and connection.
  package init(label: String, sink: @escaping @Sendable (String) -> Void) {
    self.label = label
    self.sink = sink
  }

  /// From now on no line shows what this mask hides, whoever sends it.
  package func hide(_ mask: SecretMask) { self.mask.withLock { $0.formUnion(mask) } }

  /// Shows one line without its line end.
  func show(_ mark: String, _ line: [UInt8]) {
    let text = mask.withLock { $0.masked(line) }
    sink("\(label) \(mark) \(String(decoding: text, as: UTF8.self).visible)")
  }
}
