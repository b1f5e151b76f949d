import LocalChanges
import MailCore
import Remote

/// The order of a download's requests: newest first; what must be identified is asked for a little ahead of the bodies.
struct DownloadOrder {
  private var unidentified: UIDSet
  /// Only their sizes are asked for.
  private var unmeasured = UIDSet()
  private let sink: MessageSink
  private let identify: FetchRequest.Wanted?
  /// Small enough that newest-first shows, large enough that a request costs nothing.
  static let messagesAtOnce = 200

  /// - Parameters:
  ///   - identifies: the server gives identities that other mailboxes' messages share.
  ///   - measures: what is to be fetched depends on sizes.
  init(
    wanted: UIDSet, sink: MessageSink, matcher: FileMatcher?, identifies: Bool,
    measures: Bool = false
  ) {
    self.sink = sink
    identify = matcher != nil ? .headers : identifies || measures ? .identities : nil
    unidentified = identify == nil ? UIDSet() : wanted
    if let matcher, matcher.isFullyHinted, !identifies {
      // Every file that may match names its message: the others are not here.
      unidentified = wanted.intersection(matcher.hinted)
      let others = wanted.subtracting(matcher.hinted)
      if measures { unmeasured = others } else { sink.toFetch = others }
    }
  }

  mutating func next() throws -> FetchRequest? {
    if let again = sink.again.popLast() { return again }
    if !sink.toVerify.isEmpty {
      let (newest, rest) = sink.toVerify.splitNewest(Self.messagesAtOnce)
      sink.toVerify = rest
      return FetchRequest(.headers, newest)
    }
    if let identify, !unidentified.isEmpty, sink.toFetch.count < Self.messagesAtOnce {
      let (newest, rest) = unidentified.splitNewest(Self.messagesAtOnce)
      unidentified = rest
      return FetchRequest(identify, newest)
    }
    if !unmeasured.isEmpty, sink.toFetch.count < Self.messagesAtOnce {
      let (newest, rest) = unmeasured.splitNewest(Self.messagesAtOnce)
      unmeasured = rest
      return FetchRequest(.identities, newest)
    }
    guard !sink.toFetch.isEmpty else { return nil }
    if sink.isRehearsal {
      try sink.foreseeFetches()
      return try next()
    }
    let (newest, rest) = sink.toFetch.splitNewest(Self.messagesAtOnce)
    sink.toFetch = rest
    return FetchRequest(.bodies, newest)
  }
}
