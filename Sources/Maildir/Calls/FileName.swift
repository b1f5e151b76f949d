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
    // At most 255 bytes can be a name anywhere we run, so the copy with its NUL fits on the stack.
    guard count <= 1023, !isEmpty, self != [0x2E], self != [0x2E, 0x2E] else {
      throw .badName(forPeople)
    }
    var result: Result<R, MaildirError>?
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { room in
      guard let start = room.baseAddress, copyName(to: start) else { return }
      do throws(MaildirError) {
        result = .success(try body(start))
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { throw .badName(forPeople) }
    return try result.get()
  }

  /// Copies the bytes and a final NUL.
  ///
  /// - Returns: whether they can be one name.
  private func copyName(to place: UnsafeMutablePointer<CChar>) -> Bool {
    withUnsafeBufferPointer { bytes in
      var ends = false
      for index in 0..<bytes.count {
        let byte = bytes[index]
        ends = ends || byte == 0x2F || byte == 0
        place[index] = CChar(bitPattern: byte)
      }
      place[bytes.count] = 0
      return !ends
    }
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
