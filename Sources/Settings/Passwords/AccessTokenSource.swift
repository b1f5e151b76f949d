import MailCore

/// Gives the access tokens of one account, from wherever they come; knows when they run out.
package protocol AccessTokenSource: Sendable {
  /// For error texts.
  var account: String { get }
  /// Another after each log-in of the person; tells nothing of a token.
  var grant: String { get }

  /// A token that is good for a minute at least. **Blocks** while it is fetched: never call it from a `Task`.
  ///
  /// - Parameter refused: a token that a server has just refused, whatever its time was said to be: give another.
  /// - Throws: `SettingsError.noToken`, or what a secret command of the person failed with.
  func accessToken(insteadOf refused: Secret?) throws(SettingsError) -> Secret
}
