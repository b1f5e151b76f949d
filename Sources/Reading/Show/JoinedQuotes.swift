import MIME

extension [ReadableText.Block] {
  /// With quotations of several depths in a row as one, which is folded as one.
  var withQuotesJoined: [ReadableText.Block] {
    var joined: [ReadableText.Block] = []
    for block in self {
      if case .quoted(let text, let depth) = block, case .quoted(let before, _)? = joined.last {
        joined[joined.count - 1] = .quoted(before + "\n" + text, depth: depth)
      } else {
        joined.append(block)
      }
    }
    return joined
  }
}
