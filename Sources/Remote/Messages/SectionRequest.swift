import IMAPWire
import MailCore

/// One FETCH of parts of messages, or of their structure where no part is named.
package struct SectionRequest: Sendable {
  package var uids: UIDSet
  package var sections: [BodySection]

  package init(_ sections: [BodySection], of uids: UIDSet) {
    self.uids = uids
    self.sections = sections
  }
}

/// Receives what such FETCHes bring. Confined to the connection's thread.
package protocol SectionSink: AnyObject {
  /// A section begins. An answer tells where a range begins, and not how long it was to be.
  func begins(_ section: BodySection, size: Int) throws
  func bytes(_ bytes: UnsafeRawBufferPointer) throws
  /// All of a message's answer is there; what came since the last one is this message's.
  func finished(_ message: FetchedMessage, structure: BodyStructure?) throws
  /// An answer that no message can be made of: what came with it must be thrown away.
  func spoilt() throws
  /// The request is answered. The server's words are given where it refused it.
  func answered(_ request: SectionRequest, refusal: TaggedResult?) throws
}

extension SectionSink {
  package func begins(_ section: BodySection, size: Int) {}
  package func bytes(_ bytes: UnsafeRawBufferPointer) {}
  package func spoilt() {}
  package func answered(_ request: SectionRequest, refusal: TaggedResult?) {}
}
