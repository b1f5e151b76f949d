/// Documents whose programs ask the network for what they name as soon as they are opened: who sent them learns of it.
///
/// By name and type: what is in a ZIP, a PDF or an RTF document is not looked at.
enum FetchingDocument: CaseIterable {
  case playlist, feed, transfer, map, flatOffice

  static func of(name: String, mediaType: String) -> FetchingDocument? {
    if let known = types[mediaType] { return known }
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return endings[name[name.index(after: dot)...].lowercased()]
  }

  var words: String {
    switch self {
    case .playlist: "a playlist"
    case .feed: "a list of news"
    case .transfer: "a list of what is to be downloaded"
    case .map: "a map of links"
    case .flatOffice: "an office document in one XML file"
    }
  }

  private var names: (endings: String, types: String) {
    switch self {
    case .playlist:
      (
        "m3u m3u8 pls xspf asx wax wvx wpl zpl ram smil smi sdp strm b4s qtl mpd",
        """
        audio/x-mpegurl audio/mpegurl application/vnd.apple.mpegurl application/x-mpegurl audio/x-scpls \
        application/pls+xml application/xspf+xml video/x-ms-asf video/x-ms-asx video/x-ms-wvx audio/x-ms-wax \
        application/vnd.ms-wpl audio/x-pn-realaudio application/smil application/smil+xml application/sdp \
        application/dash+xml
        """
      )
    case .feed:
      (
        "rss atom opml podcast pcast",
        "application/rss+xml application/atom+xml text/x-opml text/x-opml+xml"
      )
    case .transfer:
      (
        "torrent metalink meta4 nzb zsync",
        """
        application/x-bittorrent application/metalink+xml application/metalink4+xml application/x-nzb \
        application/x-zsync
        """
      )
    case .map:
      ("kml kmz", "application/vnd.google-earth.kml+xml application/vnd.google-earth.kmz")
    case .flatOffice:
      (
        "fodt fods fodp fodg",
        """
        application/vnd.oasis.opendocument.text-flat-xml application/vnd.oasis.opendocument.spreadsheet-flat-xml \
        application/vnd.oasis.opendocument.presentation-flat-xml \
        application/vnd.oasis.opendocument.graphics-flat-xml
        """
      )
    }
  }

  private static let endings = table(\.endings)
  private static let types = table(\.types)

  private static func table(
    _ words: KeyPath<(endings: String, types: String), String>
  ) -> [String: FetchingDocument] {
    var table: [String: FetchingDocument] = [:]
    for kind in allCases {
      for word in kind.names[keyPath: words].split(separator: " ") { table[String(word)] = kind }
    }
    return table
  }
}
