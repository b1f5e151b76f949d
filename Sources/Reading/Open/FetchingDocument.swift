/// Documents whose programs ask the network for what they name as soon as they are opened: who sent them learns of it.
///
/// By name and type, and by what a text begins with: desktops choose programs by that, too.
enum FetchingDocument: CaseIterable {
  case playlist, feed, transfer, map, flatOffice, session, installation

  static func of(name: String, mediaType: String) -> FetchingDocument? {
    if let known = types[mediaType] { return known }
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return endings[name[name.index(after: dot)...].lowercased()]
  }

  /// - Parameter content: of which the beginning is looked at.
  static func of(content: UnsafeRawBufferPointer) -> FetchingDocument? {
    // As UTF-16 there are NULs between its characters.
    let head = content.prefix(4096).filter { $0 != 0 }.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }
    var start = head.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF, 0xFE, 0xFF].contains($0) }
    for kind in allCases {
      for word in kind.beginnings where start.starts(with: word.utf8) { return kind }
    }
    // The first element of XML says what it is.
    while start.first == UInt8(ascii: "<"), let second = start.dropFirst().first,
      second == UInt8(ascii: "?") || second == UInt8(ascii: "!")
    {
      if start.starts(with: "<?mso-application".utf8) { return .flatOffice }
      let isComment = start.starts(with: "<!--".utf8)
      let end: [UInt8] = isComment ? Array("-->".utf8) : [UInt8(ascii: ">")]
      // `<!-->` is not the whole of one.
      if isComment { start = start.dropFirst(4) }
      while !start.isEmpty, !start.starts(with: end) { start = start.dropFirst() }
      start = start.dropFirst(end.count).drop { $0 <= 0x20 }
    }
    guard start.first == UInt8(ascii: "<") else { return nil }
    let tag = start.dropFirst().prefix {
      $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
    }
    let name = String(decoding: tag, as: UTF8.self)
    return allCases.first {
      $0.roots.contains(name)
        || $0.roots.contains(name.split(separator: ":").last.map(String.init) ?? "")
    }
  }

  /// What text of this kind begins with, in lower case.
  private var beginnings: [String] {
    switch self {
    case .playlist:
      ["#extm3u", "[playlist]", "[reference]", "rtsptext", "smiltext", "v=0\r\no=", "v=0\no="]
    case .transfer: ["d8:announce", "d13:announce-list", "d4:info", "zsync:"]
    case .session: ["[wfclient]", "[remmina]", "screen mode id:", "full address:", "[connection]"]
    case .installation: ["[flatpak ref]", "[flatpak repo]"]
    case .feed, .map, .flatOffice: []
    }
  }

  /// The first elements of XML of this kind.
  private var roots: Set<String> {
    switch self {
    case .playlist: ["playlist", "asx", "smil", "mpd", "smoothstreamingmedia"]
    case .feed: ["rss", "feed", "rdf", "opml", "channel"]
    case .transfer: ["metalink", "nzb"]
    case .map: ["kml", "gpx"]
    case .flatOffice: ["workbook", "worddocument", "office:document", "package"]
    case .session: ["jnlp", "nxclientsettings"]
    case .installation: []
    }
  }

  var words: String {
    switch self {
    case .playlist: "a playlist"
    case .feed: "a list of news"
    case .transfer: "a list of what is to be downloaded"
    case .map: "a map of links"
    case .flatOffice: "an office document in one XML file"
    case .session: "a session on another computer"
    case .installation: "an order to install something"
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
    case .session:
      (
        "ica rdp vnc remmina nxs nx x2go spice vv",
        "application/x-ica application/x-rdp application/x-vnc"
      )
    case .installation:
      (
        "flatpakref flatpakrepo flatpak snap appinstaller",
        "application/vnd.flatpak.ref application/vnd.flatpak.repo application/vnd.snap"
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
