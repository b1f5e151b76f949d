import Foundation
import HTTPWire
import SafeHTML
import Synchronization
import Testing

@testable import HTTPClient
@testable import MirrorCLI

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct ImageDownloadsTests {
  private static let gif: [UInt8] = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3B]

  private func fetch(
    _ paths: [String], reach: HTTPExchange.Reach = .safely, trackers: String = "",
    _ answer: @escaping @Sendable (String) -> [UInt8]
  ) throws -> (found: [String: String], requests: [String], base: String) {
    let server = try PictureServer(answer)
    defer { server.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    let images = ImageDownloads(isAsked: true, trusted: TrustedSenders(), reach: reach)
    let addresses = paths.compactMap { WebAddress(base + $0) }
    let found = images.fetch(addresses, trackers: TrackerList(trackers))
    let short = Dictionary(
      uniqueKeysWithValues: found.map { ($0.key.dropFirst(base.count), $0.value) })
    return (
      Dictionary(uniqueKeysWithValues: short.map { (String($0.key), $0.value) }), server.requests,
      base
    )
  }

  private static func page(_ type: String, _ body: [UInt8]) -> [UInt8] {
    Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
      + body
  }

  @Test func `a picture comes as an address of its own, each once, and nothing tells who asked`()
    throws
  {
    let result = try fetch(["/a.gif", "/a.gif", "/b.html", "/c.gif"]) { path in
      path == "/c.gif"
        ? Self.page("image/gif", Array("<html>".utf8))
        : Self.page(
          path == "/a.gif" ? "image/gif" : "text/html", Self.gif)
    }
    #expect(result.found.keys.sorted() == ["/a.gif"])
    #expect(result.found["/a.gif"]?.hasPrefix("data:image/gif;base64,R0lGOD") == true)
    #expect(result.requests.count == 3)
    for request in result.requests {
      let names = request.split(separator: "\r\n").dropFirst()
        .compactMap { $0.split(separator: ":").first?.lowercased() }
      #expect(Set(names) == ["host", "accept", "user-agent", "connection"])
    }
  }

  @Test func `redirects are followed three times, not to trackers`() throws {
    let result = try fetch(["/0", "/away"], trackers: "/tracker") { path in
      if path == "/away" {
        return Array("HTTP/1.1 302 Found\r\nLocation: /tracker\r\nContent-Length: 0\r\n\r\n".utf8)
      }
      guard let number = Int(path.dropFirst()), number < 3 else {
        return Self.page("image/gif", Self.gif)
      }
      return Array(
        "HTTP/1.1 302 Found\r\nLocation: /\(number + 1)\r\nContent-Length: 0\r\n\r\n".utf8)
    }
    #expect(result.found.keys.sorted() == ["/0"])
    let endless = try fetch(["/x"]) { _ in
      Array("HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n".utf8)
    }
    #expect(endless.found.isEmpty)
    #expect(endless.requests.count == 4)
  }

  @Test func `this machine is asked for nothing`() throws {
    let result = try fetch(["/a.gif"], reach: .publicPlaces) { _ in
      Self.page("image/gif", Self.gif)
    }
    #expect(result.found.isEmpty)
    #expect(result.requests.isEmpty)
  }

  /// As many as the page has room for come, however many are fetched at once.
  @Test func `the room of a page is filled by the bytes that come`() throws {
    let size = 1_900_000
    let result = try fetch((0..<12).map { "/\($0)" }) { _ in
      Self.page("image/gif", Self.gif + [UInt8](repeating: 0, count: size))
    }
    #expect(result.found.count == 12)
    let large = try fetch((0..<12).map { "/\($0)" }) { _ in
      Self.page("image/gif", Self.gif + [UInt8](repeating: 0, count: 2 * size))
    }
    #expect((3...6).contains(large.found.count))
  }

  @Test func `what is fetched is what the reader was told of`() throws {
    let address = try #require(WebAddress("http://a.test\\@b.test:81/x y?z"))
    let place = try #require(HTTPAddress(address))
    #expect(place.host == "a.test" && place.port == 80 && place.target == "/@b.test:81/x%20y?z")
    let user = try #require(WebAddress("https://a.test:b@c.test:8443").flatMap { HTTPAddress($0) })
    #expect(user.host == "c.test" && user.port == 8443 && user.target == "/" && user.isEncrypted)
    let six = try #require(WebAddress("http://[::1]/").flatMap { HTTPAddress($0) })
    #expect(six.host == "::1")
  }

  @Test func `what is too large is left`() throws {
    let size = ImageDownloads.mostBytes + 1
    let result = try fetch(["/large", "/announced"]) { path in
      path == "/large"
        ? Array("HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\n\r\n".utf8) + Self.gif
          + [UInt8](repeating: 0, count: size)
        : Self.page("image/gif", Self.gif + [UInt8](repeating: 0, count: size))
    }
    #expect(result.found.isEmpty)
  }
}

/// A server of HTTP on this machine, a connection for each answer.
private final class PictureServer: Sendable {
  let port: UInt16
  private let socket: Int32
  private let seen = Mutex<[String]>([])

  var requests: [String] { seen.withLock { $0 } }

  init(_ answer: @escaping @Sendable (String) -> [UInt8]) throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let socket = Foundation.socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        bind(socket, place, size) == 0 && listen(socket, 16) == 0
          && getsockname(socket, place, &size) == 0
      }
    }
    try #require(isBound)
    self.socket = socket
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [seen = self] in
      while case let client = accept(socket, nil, nil), client >= 0 {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = max(0, read(client, &bytes, bytes.count))
        let request = String(decoding: bytes[..<count], as: UTF8.self)
        seen.seen.withLock { $0.append(request) }
        let words = request.split(separator: " ")
        var rest = answer(words.count > 1 ? String(words[1]) : "")[...]
        while !rest.isEmpty {
          let sent = rest.withUnsafeBytes { send(client, $0.baseAddress, $0.count, 0x4000) }
          guard sent > 0 else { break }
          rest = rest.dropFirst(sent)
        }
        close(client)
      }
      // Not before: the number would be the next server's, and this thread would answer for it.
      close(socket)
    }
  }

  func stop() { shutdown(socket, 2) }
}
