import MailCore

/// In what a service's link holds the address that it sends on to.
enum RedirectForm {
  /// The first of these parameters that is there.
  case parameter([String])
  /// A parameter in Base64 for addresses, behind a mark.
  case base64(String, mark: String)
  /// A level of the path: encoded with its scheme or without, or all that follows.
  case path
  /// A parameter that stands in the path.
  case yahoo
  case proofpoint

  init?(_ words: ArraySlice<String>) {
    let arguments = Array(words.dropFirst())
    switch (words.first, arguments.first) {
    case ("parameter", .some): self = .parameter(arguments)
    case ("base64", let name?):
      self = .base64(name, mark: arguments.count > 1 ? arguments[1] : "")
    case ("path", nil): self = .path
    case ("yahoo", nil): self = .yahoo
    case ("proofpoint", nil): self = .proofpoint
    default: return nil
    }
  }

  func target(of address: WebAddress) -> WebAddress? {
    switch self {
    case .parameter(let names):
      return names.lazy.compactMap { address.parameter($0) }.compactMap { WebAddress($0) }.first(
        where: \.isWeb)
    case .base64(let name, let mark):
      guard let value = address.parameter(name), value.hasPrefix(mark) else { return nil }
      let text = value.dropFirst(mark.count).utf8.map { byte -> UInt8 in
        switch byte {
        case ASCII.dash: UInt8(ascii: "+")
        case UInt8(ascii: "_"): ASCII.slash
        default: byte
        }
      }
      return Base64.decode(text).flatMap { WebAddress(String(decoding: $0, as: UTF8.self)) }
    case .path: return Self.inPath(address)
    case .yahoo:
      return address.path.split(separator: "/").first { $0.hasPrefix("RU=") }
        .flatMap { WebAddress(PercentEncoding.decode($0.dropFirst(3).utf8)) }
    case .proofpoint: return Self.proofpoint(address)
    }
  }

  /// The levels before it are the service's own: a word or a number.
  private static func inPath(_ address: WebAddress) -> WebAddress? {
    let path = address.path
    for (place, letter) in zip(path.indices, path) where letter == "/" {
      let rest = path[path.index(after: place)...]
      let level = rest.prefix { $0 != "/" && $0 != "?" }
      let decoded = PercentEncoding.decode(level.utf8)
      if decoded.hasPrefix("http://") || decoded.hasPrefix("https://") {
        return WebAddress(decoded)
      }
      let name = decoded.prefix { $0 != "/" }
      if LinkLabel.isHost(name.lowercased()), HostEnding.of(String(name)) != nil {
        return WebAddress("https://" + PercentEncoding.decode(rest.utf8))
      }
    }
    return nil
  }

  /// `/v1/url?u=`, `/v2/url?u=` with `-` for `%` and `_` for `/`, `/v3/__https://…__;…`.
  private static func proofpoint(_ address: WebAddress) -> WebAddress? {
    if address.path.hasPrefix("/v3/__"), let end = address.path.firstRange(of: "__;") {
      return WebAddress(String(address.path[..<end.lowerBound].dropFirst(6)))
    }
    guard let wrapped = address.parameter("u") else { return nil }
    guard address.path.hasPrefix("/v2/") else { return WebAddress(wrapped) }
    let encoded = wrapped.utf8.map { byte -> UInt8 in
      switch byte {
      case ASCII.dash: ASCII.percent
      case UInt8(ascii: "_"): ASCII.slash
      default: byte
      }
    }
    return WebAddress(PercentEncoding.decode(encoded))
  }
}
