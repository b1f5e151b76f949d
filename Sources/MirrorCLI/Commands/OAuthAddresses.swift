import ArgumentParser
import OAuth
import Settings

/// What the bundled table knows of the large providers, for one that it does not know.
struct OAuthAddresses: ParsableArguments {
  @Option(help: ArgumentHelp("For --oauth custom: where the browser goes.", valueName: "url"))
  var authorizationUrl: String?
  @Option(help: ArgumentHelp("For --oauth custom: where tokens come from.", valueName: "url"))
  var tokenUrl: String?
  @Option(help: ArgumentHelp("For --oauth custom: where codes come from.", valueName: "url"))
  var deviceUrl: String?
  @Option(
    name: .customLong("scope"), parsing: .singleValue,
    help: ArgumentHelp("For --oauth custom; may be repeated.", valueName: "scope"))
  var scopes: [String] = []

  func validate(isCustom: Bool) throws {
    if isCustom {
      guard tokenUrl != nil, authorizationUrl != nil || deviceUrl != nil else {
        throw ValidationError(
          "--oauth custom needs --token-url, and --authorization-url or --device-url.")
      }
      for url in [authorizationUrl, tokenUrl, deviceUrl].compactMap({ $0 })
      where !Addresses.isSafe(url) || !url.hasPrefix("http") || url.contains("#") {
        throw ValidationError("“\(url)” is no encrypted address: write https://…")
      }
      for scope in scopes where scope.isEmpty || scope.contains(where: Self.isNoPart) {
        throw ValidationError("“\(scope)” is no scope: give --scope once for each.")
      }
    } else if authorizationUrl != nil || tokenUrl != nil || deviceUrl != nil || !scopes.isEmpty {
      throw ValidationError(
        "--authorization-url, --token-url, --device-url and --scope go with --oauth custom.")
    }
  }

  /// What a scope-token cannot hold, RFC 6749 §3.3.
  private static func isNoPart(_ character: Character) -> Bool {
    guard let byte = character.asciiValue else { return true }
    return byte <= 0x20 || byte == 0x7F || character == "\"" || character == "\\"
  }

  /// - Parameter caFile: trusted for its servers, too.
  func write(into settings: inout OAuthSettings, caFile: String?) {
    guard settings.provider == .custom else { return }
    (settings.authorizationURL, settings.tokenURL) = (authorizationUrl, tokenUrl)
    (settings.deviceURL, settings.scopes) = (deviceUrl, scopes)
    settings.caFile = caFile
  }
}
