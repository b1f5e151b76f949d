/// The elements whose reading differs from that of any other.
enum HTMLTag: UInt8 {
  case other
  case a, img, br, hr, wbr
  /// Paragraph-like: an empty line before and after.
  case paragraph
  /// A line of its own.
  case block
  case p, li, ul, ol, dt, dd, blockquote, pre, tr, td, option
  case head, body, html
  /// Elements that stand in a head and show nothing.
  case headOnly
  /// Content that is no markup and no visible text: script, style, title, …
  case skippedRaw
  /// Content that is markup but not shown.
  case hidden

  /// Whether no end tag will come.
  var isVoid: Bool {
    switch self {
    case .img, .br, .hr, .wbr, .headOnly: true
    default: false
    }
  }

  /// Looks a tag up by the hash of its lower-case name.
  static func named(_ hash: UInt64) -> HTMLTag { table.value(hash) ?? .other }

  private static let table: HashTable<HTMLTag> = {
    let names: [(HTMLTag, String)] = [
      (.a, "a"), (.img, "img image"), (.br, "br"), (.hr, "hr"),
      (.wbr, "wbr col area param source track input embed"),
      (.paragraph, "h1 h2 h3 h4 h5 h6 dl table figure center"),
      (
        .block,
        """
        div section article header footer main nav aside address fieldset form legend caption figcaption thead \
        tbody tfoot details summary hgroup menu dir noscript textarea
        """
      ),
      (.p, "p"), (.li, "li"), (.ul, "ul"), (.ol, "ol"), (.dt, "dt"), (.dd, "dd"),
      (.blockquote, "blockquote"), (.pre, "pre listing plaintext"), (.tr, "tr"), (.td, "td th"),
      (.option, "option"), (.head, "head"), (.body, "body"), (.html, "html"),
      (.headOnly, "meta link base bgsound basefont"),
      (.skippedRaw, "script style title xmp iframe noembed noframes"),
      (.hidden, "template object applet audio video canvas svg math select datalist map"),
    ]
    return HashTable(
      names.flatMap { tag, names in
        names.split(separator: " ").map { (NameHash.of($0.utf8), tag) }
      })
  }()
}

/// FNV-1a of a name: names are looked up without making strings of them.
enum NameHash {
  static let start: UInt64 = 0xCBF2_9CE4_8422_2325

  @inline(__always) static func mixed(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  static func of(_ name: some Sequence<UInt8>) -> UInt64 { name.reduce(start, mixed) }
}

/// A table fixed at start, found by hashes of names.
struct HashTable<Value: Sendable>: Sendable {
  private var keys: [UInt64]
  private var values: [Value?]
  private let mask: Int

  init(_ entries: [(UInt64, Value)]) {
    var size = 16
    while size < entries.count * 3 { size *= 2 }
    mask = size - 1
    keys = Array(repeating: 0, count: size)
    values = Array(repeating: nil, count: size)
    for (key, value) in entries {
      var slot = Int(truncatingIfNeeded: key >> 20) & mask
      while keys[slot] != 0, keys[slot] != key { slot = (slot + 1) & mask }
      keys[slot] = key
      values[slot] = value
    }
  }

  func value(_ key: UInt64) -> Value? {
    var slot = Int(truncatingIfNeeded: key >> 20) & mask
    while keys[slot] != 0 {
      if keys[slot] == key { return values[slot] }
      slot = (slot + 1) & mask
    }
    return nil
  }
}
