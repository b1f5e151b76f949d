import HTTPWire

/// An answer as a whole.
package struct HTTPResponse: Sendable {
  package let head: HTTPResponseHead
  /// Empty where it was not asked for.
  package let body: [UInt8]
}
