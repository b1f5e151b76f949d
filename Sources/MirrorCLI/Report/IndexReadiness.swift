import MailCore
import MailIndex

/// Whether the index tells of all that is in the tree. Blocks, and changes nothing.
struct IndexReadiness {
  let root: String
  /// Seconds to wait for an update that is under way.
  private static let patience = 0.2

  /// Why it does not; nil where it does.
  var hindrance: String? {
    do throws(IndexError) {
      _ = try IndexReader.open(root: root)
      let forecast = try UpdateForecast.of(.update, root: root, patience: Self.patience)
      let count = forecast.read + forecast.renamed + forecast.removedFiles
      return count == 0 ? nil : "the index is behind by \(Quantities.count(count, "file"))"
    } catch {
      switch error {
      case .missing: return "there is no index yet"
      case .otherVersion: return "the index was made by another version of this program"
      case .busy: return "the index is being brought up to date"
      default: return "the index cannot be used"
      }
    }
  }
}
