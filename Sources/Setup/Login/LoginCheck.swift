import IMAPClient
import IMAPWire
import MailCore
import SASL
import SMTPClient
import SMTPWire
import Settings
import Transport

/// One mailbox of the server, for the list that a person chooses from.
package struct FolderInfo: Sendable, Equatable {
  package var name: String
  /// Its levels with slashes between: where it lies below the account's directory.
  package var path: String
  package var role: SpecialUse?
  /// nil where the server would not say.
  package var messages: Int?

  package init(
    name: String, path: String? = nil, role: SpecialUse? = nil, messages: Int? = nil
  ) {
    self.name = name
    self.path = path ?? name
    self.role = role
    self.messages = messages
  }
}

/// How a log-in went.
package enum LoginOutcome: Sendable, Equatable {
  case fine
  /// The server refused name or password; its words.
  case refused(String)
  /// It did not come to that.
  case failed(Explanation)
}

/// Logs in to both servers once, as a later run will. **Blocks**: on a thread of its own.
package struct LoginCheck: Sendable {
  let password: Secret
  let caFile: String?
  let interrupt: Interrupt
  let wireLog: WireLog?

  package init(
    password: Secret, caFile: String?, interrupt: Interrupt = Interrupt(), wireLog: WireLog? = nil
  ) {
    self.password = password
    self.caFile = caFile
    self.interrupt = interrupt
    self.wireLog = wireLog
    wireLog?.hide(password)
  }

  /// With the folders that there are.
  package func imap(_ server: ServerOffer) -> (LoginOutcome, [FolderInfo]) {
    var options = IMAPSessionOptions(host: server.host, port: server.port, user: server.user)
    options.wantsStartTLS = server.tls == .starttls
    options.silenceSeconds = 30
    let policy = TLSPolicy(caFile: caFile)
    let session = IMAPSession(
      options: options,
      connect: { NetworkByteStream(try stream(server, policy), policy: policy) },
      credential: { password })
    defer { session.logout() }
    do {
      try session.open()
      return (.fine, try session.discover().compactMap(Self.folder))
    } catch IMAPError.loginRefused(let words) {
      return (.refused(words), [])
    } catch {
      return (.failed(Self.explanation(error)), [])
    }
  }

  package func smtp(_ server: ServerOffer) -> LoginOutcome {
    var options = SMTPSessionOptions(host: server.host, port: server.port, user: server.user)
    options.opening = OpeningMachine.Options(wantsStartTLS: server.tls == .starttls)
    (options.greetingSeconds, options.commandSeconds) = (30, 30)
    let policy = TLSPolicy(caFile: caFile)
    let session = SMTPSession(
      options: options,
      connect: { NetworkSMTPStream(try stream(server, policy), policy: policy) },
      credential: { password })
    defer { session.quit() }
    do {
      try session.open()
      return .fine
    } catch SMTPError.loginRefused(let reply, _) {
      return .refused(reply.words)
    } catch {
      return .failed(Self.explanation(error))
    }
  }

  private func stream(_ server: ServerOffer, _ policy: TLSPolicy) throws -> NetworkStream {
    try NetworkStream.connect(
      Endpoint(host: server.host, port: server.port),
      security: server.tls == .implicit ? .implicit(policy) : .plain, interrupt: interrupt,
      log: wireLog, before: .after(seconds: 20))
  }

  private static func folder(_ listing: MailboxListing) -> FolderInfo? {
    guard listing.isSelectable else { return nil }
    return FolderInfo(
      name: listing.name.text, path: listing.name.levels.joined(separator: "/"),
      role: listing.specialUse.first, messages: listing.status?.messages)
  }

  private static func explanation(_ error: any Error) -> Explanation {
    (error as? any Explained)?.explanation
      ?? Explanation(problem: "It failed: \(type(of: error)).", exitStatus: .unreachable)
  }
}
