import Foundation
import MailCore

/// Signs in with a browser on any machine: the person types a code there (RFC 8628).
///
/// **Blocks**: only from a thread of one's own.
package struct DeviceLogin {
  private let server: AuthorizationServer
  private let sleep: (Int64) -> Void

  /// - Parameter sleep: seconds; ends early where the work is cancelled.
  package init(server: AuthorizationServer, sleep: ((Int64) -> Void)? = nil) {
    self.server = server
    let isCancelled = server.isCancelled
    self.sleep =
      sleep
      ?? { seconds in
        // The wall clock may be set meanwhile.
        let end = ContinuousClock.now + .seconds(seconds)
        while !isCancelled(), ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.1) }
      }
  }

  /// - Parameter show: is given the code and the address to type it at.
  package func run(show: (DeviceGrant) -> Void) throws(OAuthError) -> TokenGrant {
    let device = try server.deviceCode()
    show(device)
    var polling = DevicePolling(device)
    var step = polling.begin()
    while true {
      switch step {
      case .end(let error): throw error
      case .wait(let seconds): sleep(seconds)
      }
      if server.isCancelled() { throw .interrupted }
      switch try ask(device) {
      case .granted(let grant): return grant
      case .refused(let refusal): step = polling.refused(refusal)
      case .unanswered: step = polling.unanswered()
      }
    }
  }

  private enum Answer {
    case granted(TokenGrant)
    case refused(OAuthRefusal)
    case unanswered
  }

  /// A network that is gone for a moment ends no log-in.
  private func ask(_ device: DeviceGrant) throws(OAuthError) -> Answer {
    do throws(OAuthError) {
      switch try server.token(device: device) {
      case .success(let grant): return .granted(grant)
      case .failure(let refusal): return .refused(refusal)
      }
    } catch {
      guard case .unreachable = error else { throw error }
      return .unanswered
    }
  }
}
