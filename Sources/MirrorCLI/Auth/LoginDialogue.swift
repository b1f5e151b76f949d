import Foundation
import MailCore
import OAuth

/// What a person sees while they sign in. It speaks also with `-q`: nobody could go on without it.
struct LoginDialogue: Sendable {
  let server: AuthorizationServer
  let user: String
  /// What the provider's form is filled in with.
  var hint: String?
  var opensBrowser = true
  var waitSeconds = 300
  let say: @Sendable (String) -> Void
  /// Told of answers that belong to another log-in.
  var foreignAnswer: @Sendable () -> Void = {}

  /// **Blocks**, as does the other.
  func useBrowser() throws(OAuthError) -> TokenGrant {
    var login = BrowserLogin(server: server)
    login.foreignAnswer = foreignAnswer
    return try login.run(
      user: hint, waitSeconds: waitSeconds, open: { show($0) },
      paste: { () throws(OAuthError) in try paste() })
  }

  private func show(_ url: String) {
    let browser = BrowserOpening(environment: ProcessInfo.processInfo.environment)
    let isOpen = opensBrowser && browser.isPossible && browser.open(url)
    say(
      isOpen
        ? "Your browser opens to sign in as \(user). If it does not, open:"
        : "To sign in as \(user), open this address in a browser:")
    say("")
    say("  " + url.visible)
    say("")
    say("Waiting for the browser, at most \(Quantities.seconds(Double(waitSeconds))) …")
  }

  private func paste() throws(OAuthError) -> String {
    say("Copy here the code that it shows, or the address where it ends:")
    let isCancelled = server.isCancelled
    guard let line = InputLine(waitSeconds: waitSeconds, isCancelled: isCancelled).read() else {
      throw isCancelled() ? .interrupted : .browserSilent(seconds: waitSeconds)
    }
    return line
  }

  func enterCode() throws(OAuthError) -> TokenGrant {
    try DeviceLogin(server: server).run { grant in
      say("To sign in as \(user), open this address in a browser on any machine:")
      say("")
      say("  " + grant.verificationURL)
      say("")
      say("and enter the code  \(grant.userCode)")
      if let url = grant.completeURL {
        say("")
        say("(or open, with the code in it, \(url))")
      }
      say("Waiting, at most \(Quantities.seconds(Double(grant.lifetime))) …")
    }
  }
}
