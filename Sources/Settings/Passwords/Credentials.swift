import Foundation
import MailCore

/// Gets one server's password or token when it is first needed, and remembers it for the run.
///
/// A command runs once, however many connections ask at the same time: it may show a dialogue to a person.
package final class Credentials: @unchecked Sendable {  // `state` behind `lock`
  private enum State {
    case unread
    case reading
    case known(Result<Secret, SettingsError>)
  }

  private let server: ServerSettings
  private let timeLimit: Duration
  private let lock = NSCondition()
  private var state = State.unread

  package init(for server: ServerSettings, timeLimit: Duration = .seconds(30)) {
    self.server = server
    self.timeLimit = timeLimit
  }

  /// The secret; empty where EXTERNAL needs none. **Blocks** while a command runs: never call it from a `Task`,
  /// only from a thread of your own. A failure is remembered like a success.
  package func secret() throws(SettingsError) -> Secret {
    lock.lock()
    while case .reading = state { lock.wait() }
    if case .known(let result) = state {
      lock.unlock()
      return try result.get()
    }
    state = .reading
    lock.unlock()
    let result = read()
    lock.lock()
    state = .known(result)
    lock.broadcast()
    lock.unlock()
    return try result.get()
  }

  /// The server refused it: where a command makes it, the next `secret()` runs the command again.
  package func forget() {
    lock.lock()
    defer { lock.unlock() }
    if case .known = state, case .command = server.secret { state = .unread }
  }

  private func read() -> Result<Secret, SettingsError> {
    switch server.secret {
    case .password(let secret): return .success(secret)
    case .file(let path):
      return Result { () throws(SettingsError) in try PasswordFile.secret(path: path) }
    case .command(let argv):
      return waiting(for: PasswordCommand(argv: argv, timeLimit: timeLimit))
    case .none:
      guard server.auth.takesToken else { return .success(Secret("")) }
      return .failure(
        .noPassword(
          user: server.user,
          remedy: "Set password-command to a program that prints an OAuth2 access token."))
    }
  }

  /// The command's machinery is asynchronous; this thread is ours to block.
  private func waiting(for command: PasswordCommand) -> Result<Secret, SettingsError> {
    let answer = Answer()
    Task.detached {
      do throws(SettingsError) {
        answer.give(.success(try await command.secret()))
      } catch {
        answer.give(.failure(error))
      }
    }
    return answer.wait()
  }
}

/// One value handed from a task to a waiting thread.
private final class Answer: @unchecked Sendable {  // `value` is set before the signal
  private let arrived = DispatchSemaphore(value: 0)
  private var value: Result<Secret, SettingsError>?

  func give(_ value: Result<Secret, SettingsError>) {
    self.value = value
    arrived.signal()
  }

  func wait() -> Result<Secret, SettingsError> {
    arrived.wait()
    return value ?? .failure(.commandFailed(program: "", reason: "gave no answer", words: ""))
  }
}
