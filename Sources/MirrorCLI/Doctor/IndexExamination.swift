import CLISupport
import Foundation
import MailCore
import MailIndex

/// The index over all accounts. Nothing of it is lost with it: the worst remedy is to make it anew.
struct IndexExamination {
  let root: String
  /// Seconds to wait for an update that is under way.
  private static let patience = 0.2

  /// Nil where there is nothing to index yet.
  func finding() -> Finding? {
    guard access(root, F_OK) == 0 else { return nil }
    do throws(IndexError) {
      _ = try IndexReader.open(root: root)
      return Self.finding(try UpdateForecast.of(.update, root: root, patience: Self.patience))
    } catch {
      switch error {
      case .missing:
        return .notice("index", "there is none yet.", "The next pull makes it.")
      case .otherVersion:
        return .notice(
          "index", "another version of this program made it.", "The next pull makes it anew.")
      case .busy: return .fine("index", "it is being brought up to date")
      default: return .wrong("index", error)
      }
    }
  }

  private static func finding(_ forecast: UpdateForecast) -> Finding {
    let problems = forecast.problems.filter(\.isMail)
    if let first = problems.first {
      return .notice(
        "index",
        "\(Quantities.count(problems.count, "place")) cannot be indexed, such as \(first.path).",
        "mirror index check names them.")
    }
    return finding(behind: forecast.read + forecast.renamed + forecast.removedFiles)
  }

  static func finding(behind count: Int) -> Finding {
    guard count > 0 else { return .fine("index", "up to date") }
    return .notice(
      "index", "\(Quantities.count(count, "file")) changed since its last update.",
      "The next pull brings them in, and so does mirror index.")
  }
}
