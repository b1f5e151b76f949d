/// A page's pictures: where each comes from, and which would tell who reads.
struct PageImages {
  private let sources: ImageSources
  private var remote: RemoteImageCount
  /// Images of the message itself that the page shows.
  private(set) var shownParts: Set<String> = []
  private(set) var places = ImagePlaces()

  init(_ sources: ImageSources, trackers: TrackerList, limits: PageLimits) {
    self.sources = sources
    remote = RemoteImageCount(trackers: trackers, longest: limits.attributeBytes)
  }

  /// What the page has for an image until its pictures are filled in, an address that begins with
  /// `data:image/`; nil where nothing does.
  mutating func source(of element: PageElement, _ shape: ImageShape) -> String? {
    guard let source = element.attribute("src")?.trimmed, !source.isEmpty else { return nil }
    var shown: String?
    if source.begins(with: "cid:") {
      let id = PercentEncoding.decode(source.dropFirst(4))
      shown = shape.isHidden ? nil : sources.part(id)
      if shown != nil { shownParts.insert(id) }
    } else if source.begins(with: "data:") {
      shown = shape.isHidden || !InlineImage.isAllowed(source) ? nil : source.text
    } else if let address = remote.add(source, shape) {
      shown = remote.isTracker ? nil : sources.remote(address)
      remote.lastIsShown = shown != nil
    }
    guard let shown, Array(shown.utf8).withUnsafeBytes(InlineImage.isAllowed) else { return nil }
    return sources.areInThePage ? shown : places.add(shown)
  }

  /// Counts an image where nothing can be seen.
  mutating func countHidden(_ element: PageElement) {
    var shape = ImageShape(element)
    shape.isHidden = true
    if let source = element.attribute("src") { remote.add(source, shape) }
  }

  /// Counts what the element would put below its text.
  mutating func count(below element: PageElement) { remote.count(below: element) }

  /// Whether it matters if words or images follow.
  var awaitsMore: Bool { remote.awaitsMore }

  /// Something to read or see has come.
  mutating func more() { remote.more() }

  /// The page is over.
  ///
  /// - Returns: all that would have been fetched.
  mutating func end() -> [RemoteImage] {
    remote.end()
    return remote.images
  }
}
