import Foundation
import Testing

/// Every file of the folder that `MIRROR_CORPORA` names, mail or not, is read without leaving it.
@Suite struct CorpusSoundnessTests {
  static let folder = ProcessInfo.processInfo.environment["MIRROR_CORPORA"]

  @Test(.enabled(if: folder != nil, "no corpora")) func `no file leads out of range`() throws {
    let folder = try #require(Self.folder)
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      guard let file = FileManager.default.contents(atPath: folder + "/" + name),
        file.count < 1 << 20
      else { continue }
      HostileInputTests.check(MailBytes(bytes: Array(file)))
      count += 1
    }
    #expect(count > 0)
  }
}
