/// One name in a directory, as text or as the raw bytes that another program chose.
package protocol FileName {
  /// Hands out the name with its final NUL.
  ///
  /// - Throws: `MaildirError.badName` for what is no single name: empty, `.`, `..`, or with `/` or
  ///   NUL inside.
  func withName<R>(_ body: (UnsafePointer<CChar>) throws(MaildirError) -> R) throws(MaildirError)
    -> R
  var forPeople: String { get }
}

extension [UInt8]: FileName {
  package var forPeople: String { String(decoding: self, as: UTF8.self) }

  package func withName<R>(_ body: (UnsafePointer<CChar>) throws(MaildirError) -> R)
    throws(MaildirError) -> R
  {
    guard isSingleName else { throw .badName(forPeople) }
    // At most 255 bytes can be a name anywhere we run, so the copy with its NUL fits on the stack.
    guard count <= 1023 else { throw .badName(forPeople) }
    var result: Result<R, MaildirError>?
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { room in
      for (place, byte) in self.enumerated() { room[place] = CChar(bitPattern: byte) }
      room[count] = 0
      guard let start = room.baseAddress else { return }
      do throws(MaildirError) {
        result = .success(try body(start))
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { throw .badName(forPeople) }
    return try result.get()
  }

  private var isSingleName: Bool {
    if isEmpty || self == [0x2E] || self == [0x2E, 0x2E] { return false }
    return !contains { $0 == 0x2F || $0 == 0 }
  }
}

extension String: FileName {
  package var forPeople: String { self }
  package func withName<R>(_ body: (UnsafePointer<CChar>) throws(MaildirError) -> R)
    throws(MaildirError) -> R
  {
    try Array(utf8).withName(body)
  }
}
