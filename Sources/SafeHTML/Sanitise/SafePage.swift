/// A mail's page made safe: written anew from the tree, with nothing in it that runs or loads.
package struct SafePage: Sendable {
  /// A fragment for a page of our own; UTF-8. Made safe once more it stays as it is.
  package internal(set) var html: [UInt8] = []
  /// Why only the words are left, where the page was too large.
  package internal(set) var refusal: String?
  /// How many were left out, by kind.
  package internal(set) var dropped: [DroppedKind: Int] = [:]
  package internal(set) var remoteImages: [RemoteImage] = []
  /// Images of the message itself that the page shows.
  package internal(set) var shownImages: Set<String> = []
  /// Words that a browser would not have shown.
  package internal(set) var hiddenWords = 0
  /// Of these, those that no copy of what can be seen has, and no preview before it.
  package internal(set) var unseenWords = 0
  package internal(set) var misleadingLinks: [MisleadingLink] = []
  package internal(set) var links = 0
  package internal(set) var trackedLinks = 0
  /// Whether it sets colours, so that it needs the light ground it was made for.
  package internal(set) var setsColours = false

  package struct MisleadingLink: Sendable, Equatable {
    package var label: String
    package var shown: String
    package var real: String
    package var address: String
  }

  package init() {}

  /// What was found while a page was written.
  init(
    _ links: PageLinks, _ images: [RemoteImage], shown: Set<String>, _ omissions: PageOmissions
  ) {
    remoteImages = images
    shownImages = shown
    self.links = links.count
    trackedLinks = links.tracked
    misleadingLinks = links.misleading
    dropped = omissions.elements
    hiddenWords = omissions.words.hiddenCount
    unseenWords = omissions.words.unseenCount()
  }

  package var trackers: Int { remoteImages.count { $0.tracking != nil } }

  /// Hosts that images would come from that are not in the page, and would not tell who reads, with their number, the most
  /// first.
  package var imageHosts: [(host: String, count: Int)] {
    Dictionary(
      remoteImages.filter { $0.tracking == nil && !$0.isShown }.map { ($0.host, 1) },
      uniquingKeysWith: +
    )
    .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }
}

/// Where a page's images come from. Each closure answers with an address beginning `data:image/`, or nil.
package struct ImageSources {
  /// An image of the message, by its Content-ID.
  package var part: (String) -> String?
  /// A remote image that was fetched before.
  package var remote: (WebAddress) -> String?
  /// Whether the page is one of ours that is read again: its pictures stay as they stand in it.
  private(set) var areInThePage = false

  static var ofThePage: ImageSources {
    var sources = ImageSources()
    sources.areInThePage = true
    return sources
  }

  package init(
    part: @escaping (String) -> String? = { _ in nil },
    remote: @escaping (WebAddress) -> String? = { _ in nil }
  ) {
    self.part = part
    self.remote = remote
  }
}
