import Testing

@testable import Settings

@Suite struct ChildEnvironmentTests {
  private func changes(
    _ more: [String: String] = [:], own: [String: String], terminal: String? = "/dev/pts/3"
  ) -> [String: String] {
    ChildEnvironment.changes(over: more, own: own, terminal: { terminal })
  }

  @Test func `gpg is told the terminal where nobody has told it one`() {
    #expect(changes(own: ["PATH": "/bin"]) == ["GPG_TTY": "/dev/pts/3"])
    #expect(changes(own: ["GPG_TTY": ""]) == ["GPG_TTY": "/dev/pts/3"])
    #expect(changes(own: ["GPG_TTY": "/dev/tty1"]) == [:])
    #expect(changes(["GPG_TTY": "/dev/tty1"], own: [:]) == ["GPG_TTY": "/dev/tty1"])
    #expect(changes(own: [:], terminal: nil) == [:])
  }

  @Test func `only what differs is passed on anew`() {
    let own = ["PATH": "/bin", "HOME": "/h", "GPG_TTY": "/t"]
    #expect(changes(["PATH": "/mine", "HOME": "/h"], own: own) == ["PATH": "/mine"])
  }
}
