import Testing

@testable import MirrorCLI

/// A refused log-in is not repeated before its secret may be another, whatever the other server says meanwhile.
struct RefusedSecretsTests {
  @Test func `a change is seen although the other server refuses after it`() {
    var secrets = RefusedSecrets<Int>()
    secrets.refused(by: .imap, 1)
    secrets.refused(by: .smtp, 2)
    let isSeen = secrets.haveChanged(to: 2)
    let isSeenAgain = secrets.haveChanged(to: 2)
    #expect(isSeen && !isSeenAgain)
  }

  @Test func `without a change none is tried again`() {
    var secrets = RefusedSecrets<Int>()
    secrets.refused(by: .imap, 2)
    secrets.refused(by: .smtp, 2)
    let isSeen = secrets.haveChanged(to: 2)
    #expect(!isSeen)
  }
}
