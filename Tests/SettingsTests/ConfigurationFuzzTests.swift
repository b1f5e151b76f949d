import Foundation
import MailCore
import Testing

@testable import Settings

/// The TOML library is C++ with assertions: nothing that stands in a file may abort the process.
@Suite struct ConfigurationFuzzTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["MIRROR_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 2000

  private static let tokens = [
    "[", "]", "{", "}", "[[", "]]", "=", ",", ".", "#", "\n", "\r\n", " ", "\t", "\"", "'",
    "\"\"\"",
    "\'\'\'", "\\", "\\u0041", "a", "accounts", "imap", "host", "\"x\"", "'y'", "1", "0x", "1e",
    "inf",
    "true", "2024-01-01", "12:00:00", "T", "+", "-", "_", "é", "\u{A0}", "\u{FEFF}", "\u{7}",
  ]

  private func check(_ bytes: [UInt8]) {
    do throws(SettingsError) {
      let document = try ConfigurationDocument(path: "config.toml", bytes: bytes, mode: 0o600)
      _ = try ConfigurationReader(
        document: document, expansion: PathExpansion(environment: ["HOME": "/home/a"]),
        knownQuirks: nil
      ).configuration()
    } catch {
      let words = error.explanation
      #expect(words.exitStatus == .configuration)
      #expect(words.problem == words.problem.visible)
    }
  }

  @Test func `no damage to a configuration does more than an error`() {
    var random = SplitMix(state: 7)
    let whole = Array(ConfigurationTests.whole.utf8)
    for _ in 0..<Self.rounds {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        case 2:
          bytes.insert(
            contentsOf: (Self.tokens.randomElement(using: &random) ?? "").utf8, at: index)
        default: bytes.removeSubrange(index..<min(bytes.count, index + 20))
        }
      }
      check(bytes)
    }
  }

  @Test func `no heap of tokens does more than an error`() {
    var random = SplitMix(state: 8)
    for _ in 0..<(Self.rounds * 4) {
      let count = Int.random(in: 1...12, using: &random)
      let text = (0..<count).map { _ in Self.tokens.randomElement(using: &random) ?? "" }.joined()
      check(Array(text.utf8))
    }
  }
}
