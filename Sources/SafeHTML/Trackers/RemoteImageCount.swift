/// Collects what a page would fetch as pictures, in its order.
struct RemoteImageCount {
  private(set) var images: [RemoteImage] = []
  private let trackers: TrackerList
  /// Bytes of an address.
  private let longest: Int
  /// The image after which neither words nor images have come yet.
  private var last: (place: Int, shape: ImageShape)?

  private static let most = 10_000

  init(trackers: TrackerList, longest: Int) {
    self.trackers = trackers
    self.longest = longest
  }

  /// Nil where nothing would be fetched.
  @discardableResult
  mutating func add(_ source: PageBytes, _ shape: ImageShape) -> WebAddress? {
    guard source.count <= longest, images.count < Self.most, let address = WebAddress(source),
      address.isWeb, let host = address.host
    else { return nil }
    let tracking = shape.tracking(of: address, list: trackers)
    images.append(RemoteImage(address: address, host: host, tracking: tracking))
    last = (images.count - 1, shape)
    return address
  }

  /// Whether the one that was added last tells who reads.
  var isTracker: Bool { images.last?.tracking != nil }

  /// Whether the one that was added last is in the page.
  var lastIsShown: Bool {
    get { images.last?.isShown ?? false }
    set { if !images.isEmpty { images[images.count - 1].isShown = newValue } }
  }

  /// Adds what the element would put below its text.
  mutating func count(below element: PageElement) {
    let shape = ImageShape(width: 100, height: 100)
    for (name, value) in element.attributes {
      if name.equals("background") {
        add(value, shape)
      } else if name.equals("style") {
        var place = 0
        while let found = value.firstRange(of: "url(", from: place) {
          let end = value[found.upperBound...].firstIndex(of: ASCII.closeParenthesis) ?? value.count
          let address = value.piece(found.upperBound..<end)
            .filter { $0 != ASCII.quote && $0 != ASCII.apostrophe }
          address.withUnsafeBytes { _ = add($0, shape) }
          place = end
        }
      }
    }
  }

  // MARK: The last thing of a page

  /// Whether words or images may follow after the last one.
  var awaitsMore: Bool { last != nil }

  /// Something to read or see has come.
  mutating func more() { last = nil }

  /// The page is over.
  mutating func end() {
    guard let (place, shape) = last, images[place].tracking == nil,
      shape.isToken(images[place].address)
    else { return }
    images[place].tracking = .token
  }
}
