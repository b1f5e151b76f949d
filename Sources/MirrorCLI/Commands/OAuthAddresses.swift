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
      where !Addresses.isSafe(url) {
        throw ValidationError("“\(url)” is not encrypted: write https://…")
      }
    } else if authorizationUrl != nil || tokenUrl != nil || deviceUrl != nil || !scopes.isEmpty {
      throw ValidationError(
        "--authorization-url, --token-url, --device-url and --scope go with --oauth custom.")
    }
  }

  /// - Parameter caFile: trusted for its servers, too.
  func write(into settings: inout OAuthSettings, caFile: String?) {
    guard settings.provider == .custom else { return }
    (settings.authorizationURL, settings.tokenURL) = (authorizationUrl, tokenUrl)
    (settings.deviceURL, settings.scopes) = (deviceUrl, scopes)
    settings.caFile = caFile
  }
}
