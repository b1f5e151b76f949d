import CLISupport
import Foundation
import MailCore
import OAuth

/// What a person sees while they sign in. Speaks on standard error, also with `-q`: nobody could go on without it.
struct LoginDialogue: Sendable {
  let subject: AuthSubject
  let report: Report
  let opensBrowser: Bool
  let waitSeconds: Int

  /// **Blocks**, as does the other.
  func useBrowser() throws(OAuthError) -> TokenGrant {
    var login = BrowserLogin(server: subject.keeper.server)
    login.foreignAnswer = {
      report.notice(subject.account.name, "An answer that belongs to another log-in was ignored.")
    }
    return try login.run(
      user: subject.user, waitSeconds: waitSeconds, open: { show($0) },
      paste: { () throws(OAuthError) in try paste() })
  }

  private func show(_ url: String) {
    let browser = BrowserOpening(environment: ProcessInfo.processInfo.environment)
    let isOpen = opensBrowser && browser.isPossible && browser.open(url)
    let user = subject.account.imap.user
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
    let isCancelled = subject.keeper.server.isCancelled
    guard let line = InputLine(waitSeconds: waitSeconds, isCancelled: isCancelled).read() else {
      throw isCancelled() ? .interrupted : .browserSilent(seconds: waitSeconds)
    }
    return line
  }

  func enterCode() throws(OAuthError) -> TokenGrant {
    try DeviceLogin(server: subject.keeper.server).run { grant in
      let user = subject.account.imap.user
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

  private func say(_ line: String) { report.console.printMessage(line) }
}
