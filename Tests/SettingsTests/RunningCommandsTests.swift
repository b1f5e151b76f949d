import Foundation
import MailCore
import Testing

@testable import Settings

@Suite struct RunningCommandsTests {
  @Test func `a password command ends with the process that waits for it`() async throws {
    let running = RunningCommands()
    let command = PasswordCommand(argv: ["/bin/sleep", "200"], running: running)
    let begun = ContinuousClock.now
    async let result = withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Result { () throws(SettingsError) in try command.secret() })
      }
    }
    while running.isEmpty, ContinuousClock.now - begun < .seconds(100) {
      try await Task.sleep(for: .milliseconds(10))
    }
    running.end()
    let ended = await result
    #expect(throws: SettingsError.self) { try ended.get() }
    #expect(ContinuousClock.now - begun < .seconds(150) && running.isEmpty)
  }
}
