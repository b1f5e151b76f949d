import Ledger
import MailCore
import Maildir
import SyncPlan

/// What files have to be like to be worth reading: called like a missing message, or about as long.
package struct WantedFiles {
  private let names: Set<NameHash>
  private let sizes: [Int64]

  package init(_ missing: [MissingMessage]) {
    names = Set(missing.map { NameHash(of: $0.record.name) })
    sizes = missing.map(\.record.size).sorted()
  }

  /// - Parameter sizes: of the files of messages that may be wanted, in bytes.
  package init(sizes: [Int64]) {
    names = []
    self.sizes = sizes.sorted()
  }

  package func mayBe(_ file: MessageFile, in folder: MaildirFolder) throws(MaildirError) -> Bool {
    if names.contains(file.baseHash) { return true }
    return isNear(Int64(try folder.facts(file).size))
  }

  /// Readers add and leave out a few header lines on saving.
  private func isNear(_ size: Int64) -> Bool {
    var low = 0
    var high = sizes.count
    while low < high {
      let middle = (low + high) / 2
      if sizes[middle] < size - 4096 { low = middle + 1 } else { high = middle }
    }
    return low < sizes.count && sizes[low] <= size + 4096
  }
}
