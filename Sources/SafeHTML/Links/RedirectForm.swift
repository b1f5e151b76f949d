import MailCore

/// In what a service's link holds the address that it sends on to.
enum RedirectForm {
  /// One of these parameters, in lower case.
  case parameter([String])
  /// A parameter in Base64 for addresses, behind a mark.
  case base64(String, mark: String)
  /// The level of the path at this place: encoded, with its scheme or without.
  case level(Int)
  /// All behind the second level of the path, without a scheme.
  case rest
  /// A parameter that stands in the path.
  case yahoo
  case proofpoint

  init?(_ words: ArraySlice<String>) {
    let arguments = Array(words.dropFirst())
    switch (words.first, arguments.first) {
    case ("parameter", .some): self = .parameter(arguments.map { $0.lowercased() })
    case ("base64", let name?):
      self = .base64(name, mark: arguments.count > 1 ? arguments[1] : "")
    case ("level", let place?):
      guard let place = Int(place) else { return nil }
      self = .level(place)
    case ("rest", nil): self = .rest
    case ("yahoo", nil): self = .yahoo
    case ("proofpoint", nil): self = .proofpoint
    default: return nil
    }
  }

  func target(of address: WebAddress) -> WebAddress? {
    switch self {
    case .parameter(let names):
      return address.parameter(ofAny: names).flatMap { WebAddress($0) }
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
    case .level(let place):
      return address.levels.dropFirst(place).first
        .flatMap { Self.inLevel(PercentEncoding.decode($0.utf8)) }
    case .rest:
      let levels = address.path.split(
        separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
      return levels.count == 3 ? Self.inLevel(String(levels[2])) : nil
    case .yahoo:
      let levels = address.levels.map { PercentEncoding.decode($0.utf8) }
        .filter { $0.lowercased().hasPrefix("ru=") }
      return levels.count == 1 ? WebAddress(String(levels[0].dropFirst(3))) : nil
    case .proofpoint: return Self.proofpoint(address)
    }
  }

  /// What is no plain host's name is no target: it may be another one to the service.
  private static func inLevel(_ text: String) -> WebAddress? {
    if text.hasPrefix("http://") || text.hasPrefix("https://") { return WebAddress(text) }
    let name = text.prefix { $0 != "/" }
    return LinkLabel.isHost(name.lowercased()) ? WebAddress("https://" + text) : nil
  }

  /// `/v1/url?u=`, `/v2/url?u=` with `-` for `%` and `_` for `/`, `/v3/__https://…__;…`.
  private static func proofpoint(_ address: WebAddress) -> WebAddress? {
    if address.path.hasPrefix("/v3/__"), let end = address.path.firstRange(of: "__;") {
      return WebAddress(String(address.path[..<end.lowerBound].dropFirst(6)))
    }
    guard address.levels.count == 2, address.levels[1] == "url",
      let wrapped = address.parameter("u")
    else { return nil }
    guard address.levels[0] == "v2" else { return WebAddress(wrapped) }
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
