import Foundation
import MailTestKit
import Testing

/// Random MIME trees that Python's email package built, read back.
@Suite(.serialized) struct TreeTests {
  private struct Tree: Decodable {
    var seed: Int
    var message: Data
    var expected: PythonReading
  }

  /// Trees in all; `MIRROR_TEST_LONG` takes many times as many.
  private static let each = 150
  private static let runs = ProcessInfo.processInfo.environment["MIRROR_TEST_LONG"] == nil ? 4 : 60

  @Test(.enabled(if: findProgram("python3") != nil, "no python3"), arguments: 0..<runs)
  func `random trees read as they were built`(run: Int) throws {
    let outcome = try runSuccessfully([
      "python3", fixtures + "/python/trees.py", "\(run * Self.each)", "\(Self.each)",
    ])
    let trees = try outcome.output.split(separator: 10).map {
      try JSONDecoder().decode(Tree.self, from: Data($0))
    }
    // Python refuses to write a few of them.
    #expect(trees.count > Self.each * 8 / 10)
    for tree in trees {
      let message = [UInt8](tree.message)
      #expect(tree.expected.differences(OurReading(message)) == [], "seed \(tree.seed)")
      let other =
        message.contains(13) ? message.withoutCarriageReturns : message.withCarriageReturns
      // A text of bytes as they are may hold a line end of its own; all else must not change with them.
      #expect(
        OurReading(other).parts.map(\.type) == tree.expected.parts.map(\.type), "seed \(tree.seed)")
    }
  }
}

/// `Tests/Fixtures/mime`
let fixtures: String = {
  var place = URL(fileURLWithPath: #filePath)
  for _ in 0..<3 { place.deleteLastPathComponent() }
  return place.path + "/Fixtures/mime"
}()

extension [UInt8] {
  /// LF as CRLF; what is CRLF stays so.
  var withCarriageReturns: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + count / 30)
    for byte in self {
      if byte == 10 && bytes.last != 13 { bytes.append(13) }
      bytes.append(byte)
    }
    return bytes
  }
}
