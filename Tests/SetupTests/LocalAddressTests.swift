import Testing

@testable import Setup

/// Numbers only: no name server is asked.
@Suite struct LocalAddressTests {
  private let system = NameServer(environment: [:])

  @Test(arguments: [
    "127.0.0.1", "127.255.3.4", "127.1", "2130706433", "0x7f000001", "0.0.0.0", "localhost",
    "LocalHost.", "x.localhost", "::1", "[::1]", "::", "::ffff:127.0.0.1", "::ffff:7f00:1",
    "::127.0.0.1", "169.254.169.254", "fe80::1", "[febf::1]",
  ])
  func `this machine and its own wire are known in any spelling`(host: String) {
    #expect(LocalAddress.isLocal(host, system))
  }

  @Test(arguments: [
    "192.0.2.1", "128.0.0.1", "169.253.1.1", "2001:db8::1", "fec0::1", "::ffff:192.0.2.1",
  ])
  func `others are not`(host: String) { #expect(!LocalAddress.isLocal(host, system)) }

  @Test func `only from outside the way here is refused`() async throws {
    let fetch = DocumentFetch(nameServer: system, caFile: nil)
    let (here, there) = ("https://127.0.0.1/a", "https://192.0.2.1/b")
    await #expect(throws: DocumentFetch.Failure.redirectHere("127.0.0.1")) {
      try await fetch.refuseWayIn(from: there, to: here)
    }
    try await fetch.refuseWayIn(from: here, to: "https://localhost/c")
    try await fetch.refuseWayIn(from: here, to: there)
    try await fetch.refuseWayIn(from: there, to: "https://192.0.2.9/c")
  }
}
