/// What a file is by its first bytes, as far as it matters whether its name tells the truth.
enum ContentKind: String, Sendable, CaseIterable {
  case pdf, png, jpeg, gif, webp, bmp, tiff, zip, ole, rtf, html, markup, text, gzip, sevenZip, rar,
    bzip2,
    xz
  case mp3, ogg, wave, flac, mp4, avi, matroska, postScript
  case windowsExecutable, unixExecutable, macExecutable, script, shortcut
  /// XML that is not whole without another document.
  case partOfOther
  /// Nothing that is known here.
  case unknown
  case empty

  static func of(_ bytes: UnsafeRawBufferPointer) -> ContentKind {
    if bytes.isEmpty { return .empty }
    for (kind, mark) in marks where bytes.starts(with: mark) { return kind }
    if has("WEBP", at: 8, bytes), has("RIFF", at: 0, bytes) { return .webp }
    if has("WAVE", at: 8, bytes), has("RIFF", at: 0, bytes) { return .wave }
    if has("AVI ", at: 8, bytes), has("RIFF", at: 0, bytes) { return .avi }
    if has("ftyp", at: 4, bytes) { return .mp4 }
    return ofText(bytes)
  }

  /// It runs, or has its program fetch something, whatever it is called.
  var runs: Bool {
    switch self {
    case .windowsExecutable, .unixExecutable, .macExecutable, .script, .shortcut, .markup,
      .partOfOther:
      true
    default: false
    }
  }

  /// `a PDF document`
  var words: String {
    switch self {
    case .pdf: "a PDF document"
    case .png: "a PNG image"
    case .jpeg: "a JPEG image"
    case .gif: "a GIF image"
    case .webp: "a WebP image"
    case .bmp: "a BMP image"
    case .tiff: "a TIFF image"
    case .zip: "a ZIP archive, or a document made of one"
    case .ole: "an old Office document or an installer"
    case .rtf: "an RTF document"
    case .html: "an HTML page"
    case .markup: "a drawing or page that can run scripts"
    case .text: "text"
    case .gzip, .sevenZip, .rar, .bzip2, .xz: "an archive"
    case .mp3, .ogg, .wave, .flac: "sound"
    case .mp4, .avi, .matroska: "a film"
    case .postScript: "PostScript"
    case .windowsExecutable: "a Windows program"
    case .unixExecutable: "a program"
    case .macExecutable: "a program for a Mac"
    case .script: "a script"
    case .shortcut: "a shortcut"
    case .partOfOther: "XML whose program fetches another document that it names"
    case .unknown: "of a kind that is not known here"
    case .empty: "empty"
    }
  }

  // MARK: By content

  private static let marks: [(ContentKind, [UInt8])] = [
    (.pdf, Array("%PDF-".utf8)), (.postScript, Array("%!PS".utf8)),
    (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.jpeg, [0xFF, 0xD8, 0xFF]),
    (.gif, Array("GIF8".utf8)), (.tiff, [0x49, 0x49, 0x2A, 0]), (.tiff, [0x4D, 0x4D, 0, 0x2A]),
    (.zip, [0x50, 0x4B, 3, 4]), (.zip, [0x50, 0x4B, 5, 6]),
    (.ole, [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]), (.rtf, Array("{\\rtf".utf8)),
    (.gzip, [0x1F, 0x8B]), (.sevenZip, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
    (.rar, Array("Rar!\u{1A}\u{07}".utf8)), (.bzip2, Array("BZh".utf8)),
    (.xz, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]),
    (.mp3, Array("ID3".utf8)), (.mp3, [0xFF, 0xFB]), (.ogg, Array("OggS".utf8)),
    (.mp3, [0xFF, 0xF3]), (.mp3, [0xFF, 0xF2]), (.matroska, [0x1A, 0x45, 0xDF, 0xA3]),
    (.flac, Array("fLaC".utf8)), (.unixExecutable, [0x7F, 0x45, 0x4C, 0x46]),
    (.macExecutable, [0xCF, 0xFA, 0xED, 0xFE]), (.macExecutable, [0xCE, 0xFA, 0xED, 0xFE]),
    (.macExecutable, [0xCA, 0xFE, 0xBA, 0xBE]), (.script, Array("#!".utf8)),
    (.shortcut, [0x4C, 0, 0, 0, 1, 0x14, 2, 0]), (.windowsExecutable, Array("MZ".utf8)),
    (.bmp, Array("BM".utf8)),
  ]

  private static func has(_ word: String, at place: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.dropFirst(place).starts(with: word.utf8)
  }

  /// Text has no NUL bytes but as UTF-16; HTML begins with one of its usual tags.
  private static func ofText(_ bytes: UnsafeRawBufferPointer) -> ContentKind {
    let head = bytes.prefix(4096)
    let isWide = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    let controls = head.count { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains($0) }
    guard isWide || controls == 0 else { return .unknown }
    let letters = head.filter { $0 != 0 }.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }
    var start = letters[...]
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
    if isWide { start = start.dropFirst(2) }
    start = start.drop { $0 <= 0x20 }
    if start.starts(with: "[internetshortcut]".utf8) || start.starts(with: "[desktop entry]".utf8) {
      return .shortcut
    }
    if start.starts(with: "#!".utf8) { return .script }
    if isPage(start) { return .html }
    if runsInBrowser(bytes, start) { return .markup }
    return start.first == UInt8(ascii: "<") && namesOther(bytes) ? .partOfOther : .text
  }

  /// Whether text begins as browsers know a page (MIME Sniffing Standard §7.1).
  private static func isPage(_ start: ArraySlice<UInt8>) -> Bool {
    if start.starts(with: "<!--".utf8) { return true }
    let names = [
      "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table",
      "<a", "<style", "<title", "<b", "<body", "<br", "<p", "<meta",
    ]
    return names.contains { name in
      guard start.starts(with: name.utf8) else { return false }
      let next = start.dropFirst(name.utf8.count).first ?? UInt8(ascii: ">")
      return next == UInt8(ascii: ">") || next <= 0x20
    }
  }

  /// Whether it is XML that browsers draw: SVG, XHTML, or what a style sheet of its own makes into a page; or a page with
  /// its pictures in a message (MHTML).
  private static func runsInBrowser(
    _ bytes: UnsafeRawBufferPointer, _ start: ArraySlice<UInt8>
  ) -> Bool {
    if start.starts(with: "<svg".utf8) || start.starts(with: "<!doctype svg".utf8) { return true }
    if start.starts(with: "from: <saved by".utf8) { return true }
    guard start.first == UInt8(ascii: "<") else { return false }
    if isInOddCharset(start) { return true }
    // Names may stand between NULs, as UTF-16; a name space may come late, or be written by references to its characters.
    let letters = bytes.lazy.filter { $0 != 0 }
    let whole = String(decoding: letters, as: UTF8.self)
    return [
      "<?xml-stylesheet", "www.w3.org/1999/xhtml", "www.w3.org/2000/svg", "<!ENTITY", "<!ATTLIST",
      "&#",
    ].contains { whole.contains($0) }
  }
}

extension ContentKind {
  /// Whether XML takes its declarations or its content from another document (XML 1.0 §2.8, XInclude).
  private static func namesOther(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // As UTF-16 there are NULs between its characters.
    let whole = String(decoding: bytes.lazy.filter { $0 != 0 }, as: UTF8.self)
    if whole.contains("www.w3.org/2001/XInclude") { return true }
    guard let type = whole.firstRange(of: "<!DOCTYPE") else { return false }
    let declaration = whole[type.upperBound...].prefix { $0 != "[" && $0 != ">" }
    return declaration.contains("SYSTEM") || declaration.contains("PUBLIC")
  }

  /// Whether XML says that its characters are not what its bytes are as ASCII: only a browser knows what it is then.
  private static func isInOddCharset(_ start: ArraySlice<UInt8>) -> Bool {
    guard start.starts(with: "<?xml".utf8) else { return false }
    let declaration = String(decoding: start.prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
    guard let found = declaration.firstRange(of: "encoding") else { return false }
    let name = declaration[found.upperBound...].drop { $0.isWhitespace || "='\"".contains($0) }
    return !["utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-", "windows-125"].contains {
      name.hasPrefix($0)
    }
  }

  /// What a file may be that is called so; nil where the ending promises nothing that is known here.
  static func expected(ofName name: String) -> Set<ContentKind>? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return byEnding[name[name.index(after: dot)...].lowercased()]
  }

  /// The same of a media type.
  static func expected(ofType mediaType: String) -> Set<ContentKind>? {
    if let known = byType[mediaType] { return known }
    // text/html is in the table; of any other text a page would be something else.
    return mediaType.hasPrefix("text/") ? [.text, .empty] : nil
  }

  private static let byType: [String: Set<ContentKind>] = [
    "application/pdf": [.pdf], "image/png": [.png], "image/jpeg": [.jpeg], "image/gif": [.gif],
    "image/webp": [.webp], "image/bmp": [.bmp], "image/tiff": [.tiff], "text/html": [.html, .text],
    "text/rtf": [.rtf, .text], "application/rtf": [.rtf], "application/zip": [.zip],
    "application/msword": [.ole, .rtf, .zip, .html],
    "application/vnd.ms-excel": [.ole, .zip, .html],
    "application/vnd.ms-powerpoint": [.ole, .zip],
  ]

  private static let byEnding: [String: Set<ContentKind>] = {
    let endings: [(Set<ContentKind>, String)] = [
      ([.pdf], "pdf"), ([.png], "png"), ([.jpeg], "jpg jpeg jpe jfif"), ([.gif], "gif"),
      ([.webp], "webp"),
      ([.bmp], "bmp"), ([.tiff], "tif tiff"), ([.rtf], "rtf"), ([.postScript], "ps eps"),
      ([.zip], "docx xlsx pptx dotx xltx potx odt ods odp odg epub zip"),
      ([.ole, .rtf, .zip, .html], "doc dot"), ([.ole, .zip, .html], "xls xlt"),
      ([.ole, .zip], "ppt pps msg"),
      ([.html, .text], "html htm xhtml"), ([.gzip], "gz tgz"), ([.sevenZip], "7z"), ([.rar], "rar"),
      ([.bzip2], "bz2"), ([.xz], "xz"), ([.mp3], "mp3"), ([.ogg], "ogg oga opus ogv"),
      ([.wave], "wav"),
      ([.flac], "flac"), ([.mp4], "mp4 m4a m4v mov heic heif avif"), ([.avi], "avi"),
      ([.matroska], "mkv mka webm"),
      (
        [.text, .empty],
        "txt text log csv tsv md patch diff ics vcf eml json xml yaml yml toml tex srt asc"
      ),
    ]
    var table: [String: Set<ContentKind>] = [:]
    for (kinds, words) in endings {
      for word in words.split(separator: " ") { table[String(word)] = kinds }
    }
    return table
  }()
}
