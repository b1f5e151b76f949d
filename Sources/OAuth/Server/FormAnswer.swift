/// What an authorisation server answers to a form.
package struct FormAnswer: Sendable {
  /// Of HTTP.
  package var status: Int
  /// At most ``bodyLimit`` bytes.
  package var body: [UInt8]

  /// No honest answer is as large.
  static let bodyLimit = 64 << 10
}
