/// Shows each message's flags, date, size and identity.
final class IdentityProbe: FetchSink {
  private let see: (FetchedMessage) -> Void

  init(_ see: @escaping (FetchedMessage) -> Void) { self.see = see }

  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    see(message)
  }
}
