import IMAPClient
import IMAPWire
import MailCore
import SASL
import SMTPClient
import SMTPWire
import Settings
import Transport

/// Logs in to both servers once, as a later run will. **Blocks**: on a thread of its own.
package struct LoginCheck: Sendable {
  let proof: LogInProof
  let caFile: String?
  let interrupt: Interrupt
  let wireLog: WireLog?

  package init(
    _ proof: LogInProof, caFile: String?, interrupt: Interrupt = Interrupt(),
    wireLog: WireLog? = nil
  ) {
    self.proof = proof
    self.caFile = caFile
    self.interrupt = interrupt
    self.wireLog = wireLog
  }

  /// With the folders that there are.
  package func imap(_ server: ServerOffer) -> CheckResult {
    var last = CheckResult(imap: .refused(""))
    for auth in ways {
      do {
        return CheckResult(
          imap: .fine, folders: try folders(server, auth), auth: auth.takesToken ? auth : nil)
      } catch IMAPError.loginRefused(let words, _) {
        return CheckResult(imap: .refused(words))
      } catch IMAPError.noMechanism(let offered) {
        // Of the two ways to hand over a token a server may know only one.
        last.imap = .failed(IMAPError.noMechanism(offered: offered))
      } catch {
        return CheckResult(imap: .failed(error))
      }
    }
    return last
  }

  private func folders(_ server: ServerOffer, _ auth: AuthenticationChoice) throws -> [FolderInfo] {
    var options = IMAPSessionOptions(host: server.host, port: server.port, user: server.user)
    (options.choice, options.credentialKind) = (choice(auth), credentialKind)
    options.wantsStartTLS = server.tls == .starttls
    options.silenceSeconds = 30
    let policy = TLSPolicy(caFile: caFile)
    let session = IMAPSession(
      options: options,
      connect: { NetworkByteStream(try stream(server, policy), policy: policy) },
      credential: { proof.secret })
    defer { session.logout() }
    try session.open()
    let listings = try session.discover()
    let sizes = session.sizes(of: listings, within: Self.secondsForSizes)
    return listings.compactMap { Self.folder($0, bytes: sizes[$0.rawName]) }
  }

  /// - Parameter auth: how the incoming server accepted the token; the configuration has one way for both.
  package func smtp(_ server: ServerOffer, _ auth: AuthenticationChoice?) -> LoginOutcome {
    var options = SMTPSessionOptions(host: server.host, port: server.port, user: server.user)
    options.opening = OpeningMachine.Options(
      choice: choice(auth ?? .auto), wantsStartTLS: server.tls == .starttls)
    options.credentialKind = credentialKind
    (options.greetingSeconds, options.commandSeconds) = (30, 30)
    let policy = TLSPolicy(caFile: caFile)
    let session = SMTPSession(
      options: options,
      connect: { NetworkByteStream(try stream(server, policy), policy: policy) },
      credential: { proof.secret })
    defer { session.quit() }
    do {
      try session.open()
      return .fine
    } catch SMTPError.loginRefused(let reply, _) {
      return .refused(reply.words)
    } catch {
      return .failed(error)
    }
  }

  /// What the configuration may say.
  private var ways: [AuthenticationChoice] {
    switch proof {
    case .password: [.auto]
    case .accessToken: [.xoauth2, .oauthbearer]
    }
  }

  private func choice(_ auth: AuthenticationChoice) -> SASLChoice {
    SASLChoice(setting: auth.rawValue) ?? .automatic
  }

  private var credentialKind: SASLCredential.Kind {
    switch proof {
    case .password: .password
    case .accessToken: .accessToken
    }
  }

  private func stream(_ server: ServerOffer, _ policy: TLSPolicy) throws -> NetworkStream {
    try NetworkStream.connect(
      Endpoint(host: server.host, port: server.port),
      security: server.tls == .implicit ? .implicit(policy) : .plain, interrupt: interrupt,
      log: wireLog, before: .after(seconds: 20))
  }

  /// Somebody waits for the list; the counts are there already.
  private static let secondsForSizes = 5.0

  private static func folder(_ listing: MailboxListing, bytes: Int64?) -> FolderInfo? {
    guard listing.isSelectable else { return nil }
    let messages = listing.status?.messages
    return FolderInfo(
      name: listing.name.text, path: listing.name.levels.joined(separator: "/"),
      role: listing.specialUse.first, messages: messages, bytes: messages == 0 ? 0 : bytes)
  }
}
