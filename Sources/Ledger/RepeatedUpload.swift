/// A new message that was sent, looked for in vain, and sent once more: the first sending may have been on its way all the
/// time, and both come.
package struct RepeatedUpload: Sendable, Equatable {
  package var contentHash: UInt64
  package var uidValidity: UInt32
  /// UIDNEXT before the first sending.
  package var uidNext: UInt32

  package init(contentHash: UInt64, uidValidity: UInt32, uidNext: UInt32) {
    self.contentHash = contentHash
    self.uidValidity = uidValidity
    self.uidNext = uidNext
  }

  /// For so many seconds after it was missed, the first sending may still come.
  package static let patience: Int64 = 86_400
}
