import CXXHash

/// XXH3-64 with seed 0: the hash of names and content in the tree and its state. No protection
/// against forgers; nothing is removed or replaced on its word alone.
package enum XXH3 {
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    XXH3_64bits(bytes.baseAddress, bytes.count)
  }

  package static func hash(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { hash($0) } }

  /// Of the text's UTF-8.
  package static func hash(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }

  /// The hash of bytes that come in pieces. The state is made by the library, aligned as it needs.
  package final class Stream {
    private let state: OpaquePointer

    /// Ends the program where 576 bytes of memory are not to be had, as Swift itself does.
    package init() {
      guard let state = XXH3_createState() else { preconditionFailure("out of memory") }
      self.state = state
      XXH3_64bits_reset(state)
    }

    deinit { XXH3_freeState(state) }

    func reset(seed: UInt64 = 0) { XXH3_64bits_reset_withSeed(state, seed) }

    package func feed(_ bytes: UnsafeRawBufferPointer) {
      XXH3_64bits_update(state, bytes.baseAddress, bytes.count)
    }

    package var value: UInt64 { XXH3_64bits_digest(state) }
  }
}
