import Testing

@testable import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct PublicAddressTests {
  private func isPublic(_ text: String) throws -> Bool {
    let addresses = try Resolver.addresses(
      of: Endpoint(host: text, port: 80), interrupt: nil, before: .after(seconds: 5))
    return try #require(addresses.first).isPublic
  }

  @Test(arguments: [
    "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1",
    "192.0.1.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1",
    "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
  ])
  func `the world's addresses are public`(address: String) throws {
    #expect(try isPublic(address))
  }

  @Test(arguments: [
    "127.0.0.1", "127.255.1.2", "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.168.1.1", "198.18.0.1",
    "198.19.255.255", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::1", "::",
    "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "64:ff9b::7f00:1", "2002:7f00:1::1", "2001:0:1::1", "::127.0.0.1",
  ])
  func `this machine's and one's own are not`(address: String) throws {
    #expect(try !isPublic(address))
  }
}
