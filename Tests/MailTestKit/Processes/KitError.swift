/// Something the test bed itself could not do; a test that sees it has proved nothing about the program.
package struct KitError: Error, CustomStringConvertible, Sendable {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// Names the call and what `errno` says.
  static func system(_ call: String, _ code: Int32) -> KitError {
    KitError("\(call): \(errorText(code))")
  }
}
