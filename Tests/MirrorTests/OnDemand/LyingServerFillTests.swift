import Foundation
import MailTestKit
import Testing

/// Fills from servers, and over lines, that send something else than was asked for.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct LyingServerFillTests {
  private func scenario(_ more: String = "") throws -> Scenario {
    try Scenario(sync: "on-demand = \"20kB\"\n" + more)
  }

  /// What servers are known to lie about.
  enum Lie: String, CaseIterable {
    case ranges, origin, size, header, announced
  }

  @Test(arguments: Lie.allCases) func `whatever a server lies about, no file is wrong`(lie: Lie)
    throws
  {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a", octets: 2_500_000)])
    let octets = try scenario.client.messages(in: "INBOX")[0].bytes.count
    var lying = TCPProxy.Conditions()
    if lie == .announced {
      lying.changeDown = {
        replacing("RFC822.SIZE \(octets)", with: "RFC822.SIZE \(octets + 1000)", in: $0)
      }
      scenario.proxy.conditions = lying
    }
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    #expect(try scenario.local("<a@")?.isStub == true)
    switch lie {
    case .announced: break
    case .ranges:
      // The first bytes, whatever was asked for, under the origin that was asked for.
      lying.changeUp = { replacing("<1048576.1048576>", with: "<0000000.1048576>", in: $0) }
      lying.changeDown = { replacing("BODY[]<0> {", with: "BODY[]<1> {", in: $0) }
    case .origin: lying.changeDown = { replacing("BODY[]<1048576>", with: "BODY[]", in: $0) }
    case .size: lying.changeDown = { replacing("BODY[]<2097152>", with: "BODY[]<2097151>", in: $0) }
    case .header: lying.changeDown = { replacing("Subject: Files", with: "Subject: Other", in: $0) }
    }
    scenario.proxy.conditions = lying
    let outcome = try scenario.mirror.run(["fill", "--all"])
    scenario.proxy.conditions = .init()
    #expect(outcome.status == (lie == .header ? 1 : 0), "\(lie): \(outcome.summary)")
    if lie == .header { _ = try scenario.fillParts("--all") }
    try scenario.expectMirrored()
  }

  @Test func `a server that sends the first piece for every range is asked no more than twice`()
    throws
  {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a", octets: 2_500_000)])
    try scenario.pull()
    let size = try scenario.client.messages(in: "INBOX")[0].bytes.count
    let origins = Origins()
    var lying = TCPProxy.Conditions()
    lying.changeUp = { bytes in
      var bytes = bytes
      for piece in 0..<12 {
        let asked = "BODY.PEEK[]<\(piece << 20)."
        guard contains(bytes, Array(asked.utf8)) else { continue }
        origins.append(piece << 20)
        bytes = replacing(asked, with: "BODY.PEEK[]<0.", in: bytes)
      }
      return bytes
    }
    lying.changeDown = { bytes in
      guard contains(bytes, Array("BODY[]<0> {".utf8)), let origin = origins.next() else {
        return bytes
      }
      return replacing("BODY[]<0> {", with: "BODY[]<\(origin)> {", in: bytes)
    }
    scenario.proxy.conditions = lying
    _ = try scenario.fillParts("--all")
    #expect(scenario.proxy.bytesDown < 2 * size + 1_100_000, "\(scenario.proxy.bytesDown)")
    scenario.proxy.conditions = .init()
    try scenario.expectMirrored()
  }

  @Test func `a body that something on the way cuts off is no message`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a")])
    try scenario.pull()
    let size = try scenario.client.messages(in: "INBOX")[0].bytes.count
    let stub = try #require(try scenario.local("<a@")).raw
    var cutting = TCPProxy.Conditions()
    cutting.changeUp = {
      let ranges = replacing("BODY.PEEK[]<0.\(size + 1)>", with: "BODY.PEEK[]<0.150000>", in: $0)
      return replacing("BODY.PEEK[])", with: "BODY.PEEK[]<0.150000>)", in: ranges)
    }
    cutting.changeDown = { replacing("BODY[]<0> {", with: "BODY[] {", in: $0) }
    scenario.proxy.conditions = cutting
    let outcome = try scenario.fillParts("--all", status: 1)
    #expect(
      outcome.summary.contains("150000 bytes came of the \(size) that"), "\(outcome.summary)")
    #expect(try scenario.local("<a@")?.raw == stub)
    scenario.proxy.conditions = .init()
    _ = try scenario.fillParts("--all")
    try scenario.expectMirrored()
  }
}

/// Where ranges were asked to begin, in order.
private final class Origins: @unchecked Sendable {  // behind `lock`
  private let lock = NSLock()
  private var origins: [Int] = []

  func append(_ origin: Int) { lock.withLock { origins.append(origin) } }
  func next() -> Int? { lock.withLock { origins.isEmpty ? nil : origins.removeFirst() } }
}
