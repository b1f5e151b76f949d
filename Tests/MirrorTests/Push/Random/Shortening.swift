import Testing

/// Leaves out of a story whatever can be missed, in ever smaller pieces: what remains still fails, and without any one
/// of its steps it would not, as far as the tries went.
///
/// - Parameters:
///   - tries: stories told at most.
///   - fails: whether a shorter story still ends badly.
func shortened<Step>(_ steps: [Step], tries: Int, _ fails: ([Step]) throws -> Bool) rethrows
  -> [Step]
{
  var steps = steps
  var size = max(1, steps.count / 2)
  var left = tries
  while left > 0 {
    var hasDropped = false
    var start = 0
    while start < steps.count, left > 0 {
      var fewer = steps
      fewer.removeSubrange(start..<min(start + size, steps.count))
      left -= 1
      if try fails(fewer) {
        steps = fewer
        hasDropped = true
      } else {
        start += size
      }
    }
    if size == 1, !hasDropped { break }
    size = max(1, size / 2)
  }
  return steps
}

@Suite struct ShorteningTests {
  @Test func `only what a failure needs is left of a story`() {
    let story = Array(0..<40)
    #expect(shortened(story, tries: 1000) { $0.contains(7) && $0.contains(31) } == [7, 31])
    #expect(shortened(story, tries: 1000) { $0.count > 5 }.count == 6)
    #expect(shortened(story, tries: 1000) { _ in false } == story)
    #expect(shortened(story, tries: 0) { _ in true } == story)
  }

  @Test func `no more stories are told than allowed`() {
    var told = 0
    let left = shortened(Array(0..<100), tries: 10) { steps in
      told += 1
      return steps.contains(50)
    }
    #expect(told == 10 && left.contains(50))
  }
}
