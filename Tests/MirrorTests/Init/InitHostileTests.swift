import Foundation
import MailTestKit
import Testing

/// Networks and domains that mean no good, or do no good.
@Suite(.onBlockingThreads, .enabled(if: InitLab.isPossible)) struct InitHostileTests {
  /// What is told of a domain whose own document is this page.
  private func told(
    _ make: (String) -> DomainServers.Page,
    other: ((String) -> DomainServers.Page)? = nil
  ) throws -> ([String], InitLab) {
    let lab = try InitLab { world, domain, _ in
      world.records["autoconfig.\(domain) A"] = ["@"]
      world.records["elsewhere.\(domain) A"] = ["@"]
      world.pages["autoconfig.\(domain)/mail/config-v1.1.xml"] = make(domain)
      if let other { world.pages["elsewhere.\(domain)/x"] = other(domain) }
    }
    let outcome = try lab.set(
      "a@" + lab.domain, "--yes", "--format", "json", "--password-command", "echo pw")
    #expect(outcome.status == 64, "\(outcome.summary)")
    #expect(!exists(lab.configuration))
    #expect(outcome.seconds < 60)
    return (try InitDocument(outcome).notes, lab)
  }

  @Test func `a captive portal's page is told as one`() throws {
    let (notes, _) = try told { _ in
      .init(body: "<!DOCTYPE html><html><body>Wi-Fi</body></html>")
    }
    #expect(notes.contains { $0.contains("captive portal") }, "\(notes)")
  }

  @Test(arguments: [false, true])
  func `a document of a gigabyte is cut off`(chunked: Bool) throws {
    let (notes, lab) = try told { _ in
      .init(body: "<clientConfig>", headers: chunked ? ["chunked": "1"] : [:], filler: 1 << 30)
    }
    #expect(notes.contains { $0.contains("more than a megabyte") }, "\(notes)")
    let sent = lab.servers.requests.compactMap { line in
      line.split(separator: "sent=").last.flatMap { Int($0) }
    }
    // Loopback is fast: some hundred megabytes may pass before the connection is gone.
    #expect(!sent.isEmpty && sent.allSatisfy { $0 < 1 << 29 }, "\(sent)")
  }

  @Test func `a document that drips is not waited for`() throws {
    // To its end that would take hours.
    _ = try told { _ in .init(body: "<clientConfig>", filler: 60_000, drips: true) }
  }

  @Test func `entities are refused`() throws {
    let (notes, _) = try told { _ in
      .init(
        body: """
          <?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>
          <clientConfig><emailProvider><displayName>&a;</displayName></emailProvider></clientConfig>
          """)
    }
    #expect(notes.contains { $0.contains("DTD or entities") }, "\(notes)")
  }

  @Test func `a redirect to plain HTTP is not followed`() throws {
    let (notes, lab) = try told { domain in
      .init(status: 302, headers: ["Location": "http://elsewhere.\(domain)/x"])
    }
    #expect(notes.contains { $0.contains("plain HTTP") }, "\(notes)")
    #expect(!lab.servers.requests.contains { $0.contains("elsewhere") })
  }

  @Test func `a redirect that never ends does`() throws {
    let (notes, lab) = try told { domain in
      .init(status: 302, headers: ["Location": "https://autoconfig.\(domain)/mail/config-v1.1.xml"])
    }
    #expect(notes.contains { $0.contains("without end") }, "\(notes)")
    #expect(lab.servers.requests.count <= 6, "\(lab.servers.requests)")
  }

  @Test func `a certificate of another name is told`() throws {
    let lab = try InitLab { world, domain, _ in
      world.records["autoconfig.\(domain) A"] = ["@"]
      world.names = []
    }
    let outcome = try lab.set(
      "a@" + lab.domain, "--yes", "--format", "json", "--password-command", "echo pw")
    #expect(outcome.status == 64, "\(outcome.summary)")
    let notes = try InitDocument(outcome).notes
    #expect(notes.contains { $0.contains("certificate") }, "\(notes)")
  }
}
