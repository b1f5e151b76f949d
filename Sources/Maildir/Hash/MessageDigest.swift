import MailCore

/// What identifies a message's content, computed on its way to the disk or from a file.
package struct MessageDigest: Hashable, Sendable {
  /// Bytes as the server sent them, CRLF and all; of a stub, those of the whole message.
  package var serverSize: UInt64
  /// Over the canonical header: see ``CanonicalHeader``. Equal for server bytes and file.
  package var headerHash: HeaderHash
  /// Over the canonical header and the body with LF line ends; of a stub, over what of it is here.
  package var contentHash: ContentHash
  /// The message has a bare CR or LF, so its file holds the server's bytes as they came.
  package var asCame: Bool
  /// Keywords and labels that the message itself brought along in its header. Not ours to change: a
  /// reader's labels are what is there beyond them.
  package var nativeLabels: Keywords
  /// Parts of the message stay on the server: a ``StubLine`` stands at the file's top.
  package var isStub: Bool

  package init(
    serverSize: UInt64, headerHash: HeaderHash, contentHash: ContentHash, asCame: Bool,
    nativeLabels: Keywords = .none, isStub: Bool = false
  ) {
    self.serverSize = serverSize
    self.headerHash = headerHash
    self.contentHash = contentHash
    self.asCame = asCame
    self.nativeLabels = nativeLabels
    self.isStub = isStub
  }
}
