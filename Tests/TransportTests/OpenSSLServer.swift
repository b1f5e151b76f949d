import Foundation
import Testing

/// `openssl s_server` on a port of its own; it sends every line back reversed.
final class OpenSSLServer {
  let port: UInt16
  private let process = Process()

  static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

  init(certificate: String, _ options: [String] = []) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    let file = TestCertificates.shared.file(certificate)
    process.arguments =
      ["s_server", "-accept", "127.0.0.1:0", "-cert", file, "-key", file, "-rev"] + options
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.runUnmasked()
    // It says "ACCEPT 127.0.0.1:43210" once it listens.
    var said = ""
    while !(said.contains("ACCEPT") && said.last == "\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      said += String(decoding: data, as: UTF8.self)
    }
    let line = said.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
    let number = line?.split(separator: ":").last
    port = try #require(number.flatMap { UInt16($0) }, "s_server said: \(said)")
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }
}
