/// NAMESPACE's answer (RFC 2342 §5), extensions left out.
package struct Namespaces: Sendable, Equatable {
  package struct Namespace: Sendable, Equatable {
    package var rawPrefix: [UInt8]
    /// Decoded like a mailbox name.
    package var prefix: String
    package var delimiter: Character?
  }

  package var personal: [Namespace] = []
  package var otherUsers: [Namespace] = []
  package var shared: [Namespace] = []

  package init() {}
}
