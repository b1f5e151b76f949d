import Foundation
import Testing

@testable import MirrorCLI

@Suite struct WatchExaminationTests {
  @Test func `a watch of systemd's that ends with the log-out is told`() throws {
    let place = NSTemporaryDirectory() + "/linger-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: place) }
    let wants = place + "/.config/systemd/user/default.target.wants"
    for directory in [wants, place + "/linger"] {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
    }
    let examination = WatchExamination(
      environment: ["HOME": place], lingering: place + "/linger")
    #expect(examination.finding() == nil)
    try FileManager.default.createSymbolicLink(
      atPath: wants + "/mirror-watch.service", withDestinationPath: "/nowhere")
    let finding = try #require(examination.finding())
    #expect(finding.state == .notice && finding.remedy == "loginctl enable-linger")
    _ = FileManager.default.createFile(
      atPath: "\(place)/linger/\(NSUserName())", contents: nil)
    #expect(examination.finding()?.state == .fine)
  }
}
