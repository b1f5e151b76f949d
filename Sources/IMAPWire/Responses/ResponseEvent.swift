/// What ``ResponseParser`` finds, in the order of the wire.
///
/// A FETCH with a body comes as `bodyBegins`, any number of `bodyBytes`, `bodyEnds` (once for each
/// body section), then `fetched`. One without comes as `fetched` alone.
package enum ResponseEvent {
  case untagged(UntaggedResponse)
  /// `soFar` holds the items that stood before the body.
  case bodyBegins(FetchData, section: BodySection, size: Int)
  /// Valid until the parser is called again.
  case bodyBytes(UnsafeRawBufferPointer)
  case bodyEnds
  case fetched(FetchData)
  /// `tag` is nil where it is none that ``CommandTag`` makes.
  case tagged(CommandTag?, TaggedResult)
  /// The bytes behind `+`: a challenge in base64, or words.
  case continuation([UInt8])
}
