import Foundation
import MailTestKit
import Testing

/// The pages of `man/` as mandoc sees them.
@Suite(.onBlockingThreads) struct ManualTests {
  private static let folder: String = {
    var top = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { top.deleteLastPathComponent() }
    return top.path + "/man"
  }()

  private static let pages: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()

  @Test(.enabled(if: findProgram("mandoc") != nil, "no mandoc"), arguments: pages)
  func `a manual page has nothing that mandoc complains of`(page: String) throws {
    let outcome = try run(["mandoc", "-Tlint", "\(Self.folder)/\(page)"])
    let complaints = outcome.outputText.split(separator: "\n").filter { line in
      guard let range = line.range(of: "referenced manual not found: Xr ") else { return true }
      // Whether a manual is installed here says nothing; but ours have to be there.
      let words = line[range.upperBound...].split(separator: " ").prefix(2)
      return words.first?.hasPrefix("mirror") == true
        && !Self.pages.contains(words.joined(separator: "."))
    }
    #expect(complaints == [])
    #expect(outcome.status ?? 255 <= 1, "\(outcome.summary)")
  }

  @Test func `all manual pages are there`() {
    for page in [
      "mirror.1", "mirror-adopt.1", "mirror-auth.1", "mirror-doctor.1", "mirror-init.1",
      "mirror-outbox.1", "mirror-sendmail.1", "mirror-config.5", "mirror-index.1",
      "mirror-index.5", "mirror-search.7",
    ] {
      #expect(Self.pages.contains(page), "\(page)")
    }
  }

  @Test(arguments: pages) func `a manual page leads to all the others`(page: String) throws {
    let lines = try String(contentsOfFile: "\(Self.folder)/\(page)", encoding: .utf8)
      .split(separator: "\n").drop { $0 != ".Sh SEE ALSO" }
    for other in Self.pages where other != page {
      let reference = ".Xr " + other.replacing(".", with: " ")
      #expect(lines.contains { $0 == reference || $0 == reference + " ," }, "\(other)")
    }
  }
}
