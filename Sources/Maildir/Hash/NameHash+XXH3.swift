import MailCore

extension NameHash {
  /// - Parameter base: the name up to the flags.
  package init(of base: UnsafeRawBufferPointer) { self.init(XXH3.hash(base)) }

  package init(of base: [UInt8]) { self.init(XXH3.hash(base)) }
}
