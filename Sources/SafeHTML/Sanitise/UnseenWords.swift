/// Which of a page's hidden words its reader sees nowhere.
///
/// Newsletters hold blocks twice: for wide windows, and hidden until a style sheet shows it, for telephones. Such a copy has
/// the words of what can be seen, its parts in another order and a few more. So words are compared as a multiset and not in
/// their order: each visible one stands for one hidden one. Prose of its own shares half of its words with any page ("the",
/// "your"): a hidden stretch that is no copy counts with all of them.
struct UnseenWords {
  /// A word each, as ``UnsafeRawBufferPointer/eachWord(_:)`` gives it.
  private var seen: [UInt32] = []
  private var hidden: [UInt32] = []
  /// Where in `hidden` each stretch begins: what is between two visible words, or hidden as a whole.
  private var stretches: [Int] = []
  private var isInStretch = false
  /// Hidden words before anything that can be seen: the preview that newsletters have.
  private var preview = 0
  /// The same where a line may stand above: a link to the newsletter's own page.
  private var previewBelowLine = 0

  private static let longestPreview = 60
  private static let longestLine = 12
  /// Of a copy's words so many are visible, too.
  private static let copied = (of: 3, atLeast: 2)

  var hiddenCount: Int { hidden.count }

  /// - Returns: whether the text has words.
  mutating func see(_ text: PageBytes) -> Bool {
    let before = seen.count
    text.eachWord { seen.append($0) }
    guard seen.count > before else { return false }
    isInStretch = false
    return true
  }

  /// What is hidden next is hidden for itself: there may be several copies, one after the other.
  mutating func beginStretch() { isInStretch = false }

  mutating func hide(_ text: PageBytes) {
    let before = hidden.count
    text.eachWord { hidden.append($0) }
    if seen.count <= Self.longestLine, hidden.count <= Self.longestPreview {
      previewBelowLine = hidden.count
      if seen.isEmpty { preview = hidden.count }
    } else if hidden.count > before, !isInStretch {
      stretches.append(before)
      isInStretch = true
    }
  }

  /// How many of the hidden words belong to no copy of what can be seen.
  func unseenCount() -> Int {
    // Where no more than that line can be seen, nothing is a preview of it.
    let starts = (seen.count > Self.longestLine ? [] : [preview]) + [previewBelowLine] + stretches
    guard let first = starts.first, hidden.count > first else { return 0 }
    var visible: [UInt32: Int] = [:]
    for word in hidden[first...] { visible[word] = 0 }
    for word in seen where visible[word] != nil { visible[word, default: 0] += 1 }
    return zip(starts, starts.dropFirst() + [hidden.count]).reduce(0) { count, stretch in
      count + Self.unseenCount(hidden[stretch.0..<stretch.1], visible)
    }
  }

  private static func unseenCount(_ stretch: ArraySlice<UInt32>, _ visible: [UInt32: Int]) -> Int {
    var left: [UInt32: Int] = [:]
    let found = stretch.count { word in
      let times = left[word] ?? visible[word] ?? 0
      left[word] = times - 1
      return times > 0
    }
    return found * copied.of >= stretch.count * copied.atLeast
      ? stretch.count - found : stretch.count
  }
}
