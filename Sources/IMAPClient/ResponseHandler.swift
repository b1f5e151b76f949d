import IMAPWire

/// Takes what the commands of one ``IMAPSession/run(_:handler:)`` bring, in the order of the wire.
///
/// `command` counts the commands of the run from 0; it is the oldest one in flight, which servers answer
/// first. Every function has a default that does nothing. What a function throws ends the run and the
/// session, since the rest of the answers would be lost.
package protocol ResponseHandler {
  /// Untagged data other than FETCH.
  mutating func received(_ response: UntaggedResponse, during command: Int) throws
  /// A body begins; `soFar` holds the items that stood before it.
  mutating func bodyBegins(_ soFar: FetchData, section: BodySection, size: Int) throws
  /// The bytes are valid during the call.
  mutating func bodyBytes(_ bytes: UnsafeRawBufferPointer) throws
  mutating func bodyEnds() throws
  /// A FETCH response is whole, items behind its body included.
  mutating func fetched(_ data: FetchData, during command: Int) throws
  mutating func completed(_ command: Int, _ result: TaggedResult) throws
}

extension ResponseHandler {
  package mutating func received(_ response: UntaggedResponse, during command: Int) throws {}
  package mutating func bodyBegins(
    _ soFar: FetchData, section: BodySection, size: Int
  ) throws {}
  package mutating func bodyBytes(_ bytes: UnsafeRawBufferPointer) throws {}
  package mutating func bodyEnds() throws {}
  package mutating func fetched(_ data: FetchData, during command: Int) throws {}
  package mutating func completed(_ command: Int, _ result: TaggedResult) throws {}
}
