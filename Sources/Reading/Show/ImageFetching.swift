import SafeHTML
import Warnings

/// Fetches remote images for a page. `mirror-index`, which has no network, has no such thing.
package protocol ImageFetching {
  /// Whether those of a message are to be fetched.
  ///
  /// - Parameters:
  ///   - sender: the message's one address in From; nil where there are several or none.
  ///   - verdict: what the reader's provider says of it.
  func isWanted(from sender: String?, _ verdict: ProviderVerdict) -> Bool
  /// Blocks until each has come or failed.
  ///
  /// - Returns: addresses that begin with `data:image/`, by the text of those asked for.
  func fetch(_ addresses: [WebAddress], trackers: TrackerList) -> [String: String]
}
