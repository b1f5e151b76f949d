/// What a file is by its first bytes, as far as it matters whether its name tells the truth.
enum ContentKind: String, Sendable, CaseIterable {
  case pdf, png, jpeg, gif, webp, bmp, tiff, heif, icon, zip, ole, rtf, html, markup, text, gzip,
    sevenZip, rar,
    bzip2,
    xz
  case mp3, aac, amr, ogg, wave, flac, mp4, mpeg, avi, matroska, postScript
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
    if has("ftyp", at: 4, bytes) {
      return pictureBrands.contains { has($0, at: 8, bytes) } ? .heif : .mp4
    }
    // Films of QuickTime may begin otherwise.
    if bytes[0] == 0, ["moov", "mdat", "wide"].contains(where: { has($0, at: 4, bytes) }) {
      return .mp4
    }
    if let sound = ofSound(bytes) { return sound }
    // Readers of PDF are content with blanks before it.
    let start = bytes.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
    if start.starts(with: "%PDF-".utf8) { return .pdf }
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
    case .heif: "an HEIF image"
    case .icon: "an icon"
    case .zip: "a ZIP archive, or a document made of one"
    case .ole: "an old Office document or an installer"
    case .rtf: "an RTF document"
    case .html: "an HTML page"
    case .markup: "a drawing or page that can run scripts"
    case .text: "text"
    case .gzip, .sevenZip, .rar, .bzip2, .xz: "an archive"
    case .mp3, .aac, .amr, .ogg, .wave, .flac: "sound"
    case .mp4, .mpeg, .avi, .matroska: "a film"
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
    (.mp3, Array("ID3".utf8)), (.amr, Array("#!AMR".utf8)), (.ogg, Array("OggS".utf8)),
    (.matroska, [0x1A, 0x45, 0xDF, 0xA3]), (.icon, [0, 0, 1, 0]), (.mpeg, [0, 0, 1, 0xBA]),
    (.mpeg, [0, 0, 1, 0xB3]),
    (.flac, Array("fLaC".utf8)), (.unixExecutable, [0x7F, 0x45, 0x4C, 0x46]),
    (.macExecutable, [0xCF, 0xFA, 0xED, 0xFE]), (.macExecutable, [0xCE, 0xFA, 0xED, 0xFE]),
    (.macExecutable, [0xCA, 0xFE, 0xBA, 0xBE]), (.script, Array("#!".utf8)),
    (.shortcut, [0x4C, 0, 0, 0, 1, 0x14, 2, 0]), (.windowsExecutable, Array("MZ".utf8)),
    (.bmp, Array("BM".utf8)),
  ]

  /// Of HEIF and AVIF (ISO/IEC 23008-12, annex B).
  private static let pictureBrands = [
    "heic", "heix", "heim", "heis", "hevc", "mif1", "msf1", "avif", "avis",
  ]

  /// A frame of MPEG's sound, by its layer.
  private static func ofSound(_ bytes: UnsafeRawBufferPointer) -> ContentKind? {
    guard bytes.count > 2, bytes[0] == 0xFF else { return nil }
    if bytes[1] & 0xF6 == 0xF0 { return .aac }
    return bytes[1] & 0xE6 == 0xE2 ? .mp3 : nil
  }

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
  static func isInOddCharset(_ start: ArraySlice<UInt8>) -> Bool {
    guard start.starts(with: "<?xml".utf8) else { return false }
    let declaration = String(decoding: start.prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
    guard let found = declaration.firstRange(of: "encoding") else { return false }
    let name = declaration[found.upperBound...].drop { $0.isWhitespace || "='\"".contains($0) }
    return !["utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-", "windows-125"].contains {
      name.hasPrefix($0)
    }
  }
}
