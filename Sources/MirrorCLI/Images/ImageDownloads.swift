import HTTPClient
import HTTPWire
import MailCore
import Reading
import SafeHTML
import Synchronization
import Transport
import Warnings

/// Fetches the remote images of one page: from public addresses only, and without a word of who asks.
///
/// No cookie, no referrer, no name of a program that tells one reader from another; the pictures go into the page.
final class ImageDownloads: ImageFetching, Sendable {
  /// Whether the user asked for the images of this page.
  private let isAsked: Bool
  private let trusted: TrustedSenders
  private let reach: HTTPExchange.Reach
  private let left: Mutex<Int>
  /// For the whole page: a network that swallows everything must not hold the reader up for long.
  private let end: Deadline

  static let mostBytes = 10_000_000
  static let mostBytesOfAll = 25_000_000
  private static let seconds = 10.0
  private static let secondsOfAll = 60.0
  private static let mostRedirects = 3
  private static let workers = 4

  init(
    isAsked: Bool, trusted: TrustedSenders, reach: HTTPExchange.Reach = .publicPlaces
  ) {
    (self.isAsked, self.trusted, self.reach) = (isAsked, trusted, reach)
    left = Mutex(Self.mostBytesOfAll)
    end = .after(seconds: Self.secondsOfAll)
  }

  func isWanted(from sender: String?, _ verdict: ProviderVerdict) -> Bool {
    if isAsked { return true }
    guard let sender, case .confirmed = verdict else { return false }
    return trusted.contains(sender)
  }

  func fetch(_ addresses: [WebAddress], trackers: TrackerList) -> [String: String] {
    var seen: Set<String> = []
    let wanted = addresses.filter { seen.insert($0.text).inserted }
    let work = Work(wanted)
    onThreads(min(Self.workers, wanted.count)) { [self] _ in
      while let address = work.next() {
        if let image = image(at: address, trackers) { work.add(image, at: address) }
      }
    }
    return work.found
  }

  /// A `data:` address of what is there, if that is a picture.
  private func image(at first: WebAddress, _ trackers: TrackerList) -> String? {
    let deadline = min(end, .after(seconds: Self.seconds))
    var address = first
    for _ in 0...Self.mostRedirects {
      guard !deadline.hasPassed, hasRoom(for: 1), !trackers.contains(address),
        let place = HTTPAddress(address)
      else { return nil }
      var request = HTTPRequest(.get, place)
      request.fields = [
        HTTPField("Accept", "image/webp, image/png, image/jpeg, image/gif"),
        HTTPField("User-Agent", "Mozilla/5.0"),
      ]
      let exchange = HTTPExchange(
        caFile: nil,
        limits: .init(
          connecting: deadline.secondsLeft, whole: deadline.secondsLeft, body: Self.mostBytes),
        reach: reach)
      let answer = exchange.waitForAnswer(
        to: request,
        wantsBody: { head in
          head.status == 200 && Self.isPicture(head.value(of: "Content-Type"))
        }, hasRoom: { bytes in self.use(bytes) })
      switch answer {
      case .failure: return nil
      case .success(let response) where response.head.status == 200:
        return response.body.withUnsafeBytes(InlineImage.address)
      case .success(let response):
        guard let next = Self.target(of: response.head, from: address) else { return nil }
        address = next
      }
    }
    return nil
  }

  /// Counts bytes that have come, of whatever image; false where the page has its fill.
  private func use(_ bytes: Int) -> Bool {
    left.withLock { left in
      left -= bytes
      return left >= 0
    }
  }

  private func hasRoom(for bytes: Int) -> Bool { left.withLock { $0 >= bytes } }

  private static func isPicture(_ type: String?) -> Bool {
    guard let type = type?.lowercased() else { return true }
    return type.hasPrefix("image/") || type.hasPrefix("application/octet-stream")
      || type.hasPrefix("binary/")
  }

  /// Where a redirect leads; from an encrypted place to such a place only.
  static func target(of head: HTTPResponseHead, from address: WebAddress) -> WebAddress? {
    guard [301, 302, 303, 307, 308].contains(head.status),
      let location = head.value(of: "Location"), let next = WebAddress(location, on: address),
      next.isWeb
    else { return nil }
    return address.scheme == "https" && next.scheme != "https" ? nil : next
  }
}

extension HTTPAddress {
  /// Where an address of the web leads by the same reading that the reader was told of.
  init?(_ address: WebAddress) {
    guard address.isWeb, let host = address.host else { return nil }
    self.init(
      isEncrypted: address.scheme == "https", host: host, port: address.port,
      target: address.path)
  }
}

/// What several threads fetch.
private final class Work: Sendable {
  private let state: Mutex<(waiting: ArraySlice<WebAddress>, found: [String: String])>

  init(_ addresses: [WebAddress]) { state = Mutex((addresses[...], [:])) }

  func next() -> WebAddress? { state.withLock { $0.waiting.popFirst() } }

  func add(_ image: String, at address: WebAddress) {
    state.withLock { $0.found[address.text] = image }
  }

  var found: [String: String] { state.withLock { $0.found } }
}
