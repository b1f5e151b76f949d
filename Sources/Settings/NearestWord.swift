/// The word of `words` that `typed` most likely meant, or nil where none is near.
///
/// Near is at most one slip for every three letters of the longer word, compared without ASCII case; `_` counts as `-`.
package func nearestWord(to typed: String, among words: [String]) -> String? {
  let wanted = folded(typed)
  let ranked = words.map { word in (word, editDistance(wanted, folded(word))) }
  guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
  return best.1 <= max(1, max(wanted.count, best.0.utf8.count) / 3) ? best.0 : nil
}

private func folded(_ word: String) -> [UInt8] {
  word.utf8.prefix(100).map { byte in
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    case UInt8(ascii: "_"): UInt8(ascii: "-")
    default: byte
    }
  }
}

/// Levenshtein's distance, where two letters exchanged count as one slip; three rows of memory.
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var before: [Int] = []
  var row = Array(0...b.count)
  for i in a.indices {
    var next = [i + 1]
    for j in b.indices {
      var best = min(row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
      next.append(best)
    }
    (before, row) = (row, next)
  }
  return row[b.count]
}
