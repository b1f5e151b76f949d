import Foundation
import IMAPWire
import MIME
import Reading
import Settings
import Sync
import SyncPlan
import Transport

/// Fetches single parts of stubs for the commands that read.
struct StubParts: AbsentPartFetching {
  /// Smaller messages hardly have parts that could leave.
  private static let smallest = 20_000

  /// The time of change tells when a file was used; setting the mode that it has sets that time, and nothing else.
  func used(messageAt path: FileBytes) {
    path.withPath { path in
      var facts = stat()
      guard stat(path, &facts) == 0, facts.st_size >= Self.smallest else { return }
      _ = chmod(path, facts.st_mode & 0o7777)
    }
  }

  func fetch(_ part: AbsentPart, ofMessageAt path: String, config: String?) throws -> (
    bytes: [UInt8], isDecoded: Bool
  ) {
    let environment = ProcessInfo.processInfo.environment
    let configuration = try Configuration.load(
      path: config ?? Configuration.defaultPath(environment: environment),
      environment: environment, knownQuirks: QuirkSettings.names)
    let root = configuration.root + "/"
    let account = configuration.accounts.first { path.hasPrefix(root + $0.name + "/") }
    guard let account, let file = path.split(separator: "/").last else {
      throw OnDemandError.fileChanged(path)
    }
    let fetched = try AccountRun(
      account: account, root: configuration.root, observer: SilentObserver(),
      interrupt: Interrupt()
    ).fetch(
      PartRequest(
        section: part.info.section, octets: part.octets, isBase64: part.isBase64),
      ofFile: Array(file.utf8))
    return (fetched.bytes, fetched.isDecoded)
  }
}
